import { element } from "../site/error_card.js";

/**
 * The WGSL text field with line numbers, able to mark the place of an error.
 * @param {{ textarea: HTMLTextAreaElement, lines: HTMLElement, marks: HTMLElement }} parts
 */
export function editor({ textarea, lines, marks }) {
  const draw = (place) => {
    const rows = textarea.value.split("\n");
    lines.replaceChildren(
      ...rows.map((_, i) => {
        const number = element("li", "", String(i + 1));
        if (i + 1 === place?.line) number.dataset.told = "";
        return number;
      }),
    );
    marks.replaceChildren(...(place ? marked(rows, place) : []));
    textarea.rows = rows.length;
    textarea.style.width = `max(100%, ${Math.max(...rows.map((row) => row.length)) + 4}ch)`;
  };
  const placeOf = ({ line, column = 1, length }) => {
    const row = textarea.value.split("\n")[line - 1] ?? "";
    const word = row.slice(column - 1).match(/^\w+/)?.[0].length ?? 1;
    return { line, column, length: length || word };
  };

  return {
    draw,
    /** Marks a line and the word at its column. */
    mark: (at) => draw(placeOf(at)),
    /** Puts the focus on that word. */
    goTo(at) {
      const { line, column, length } = placeOf(at);
      const start =
        textarea.value
          .split("\n")
          .slice(0, line - 1)
          .reduce((sum, row) => sum + row.length + 1, 0) +
        column -
        1;
      textarea.focus();
      textarea.setSelectionRange(start, start + length);
    },
  };
}

function marked(rows, { line, column, length }) {
  const row = rows[line - 1] ?? "";
  const view = element("span", "line");
  view.append(
    row.slice(0, column - 1),
    element("mark", "", row.slice(column - 1, column - 1 + length) || " "),
    row.slice(column - 1 + length),
  );
  return ["\n".repeat(line - 1), view];
}
