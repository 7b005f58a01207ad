export const recorded = { where: "x", program: "Float32Array [2, 4, 6]", mistake: {}, numbers: {} };
