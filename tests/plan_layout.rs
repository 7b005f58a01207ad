//! Where WGSL puts the parts of a type and the values in it, beside naga.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test panics as the test does"
)]

#[path = "wgsl/naga_oracle.rs"]
mod naga_oracle;
#[path = "wgsl/reading.rs"]
mod reading;

use naga::{ArraySize, Handle, ScalarKind, Type as NagaType, TypeInner, proc::Alignment};
use naga_oracle::Oracle;
use proptest::prelude::*;
use reading::{facts, no_limits};
use steadfast_gpu::plan::{Binding, KernelOptions, Type, Value, kernel, pack};

/// A module with the variable `v` of type `T`, which its kernel reads.
fn module(types: &str, access: &str) -> String {
    format!(
        "enable f16;\n{types}\n@group(0) @binding(0) var<storage, {access}> v: T;\n\
         @compute @workgroup_size(1) fn main() {{ _ = &v; }}"
    )
}

fn binding(types: &str) -> Binding {
    let plan = kernel(&module(types, "read"), &KernelOptions::default(), &no_limits()).unwrap();
    plan.bindings[0].clone()
}

/// A type without structures, as WGSL text; `atomic` types are for layouts only.
fn plain_type(with_atomics: bool) -> BoxedStrategy<String> {
    let scalar = || prop::sample::select(vec!["f32", "i32", "u32", "f16"]);
    let float = || prop::sample::select(vec!["f32", "f16"]);
    let leaf = prop_oneof![
        3 => scalar().prop_map(str::to_owned),
        3 => (2..5, scalar()).prop_map(|(n, scalar)| format!("vec{n}<{scalar}>")),
        2 => (2..5, 2..5, float()).prop_map(|(columns, rows, scalar)| format!("mat{columns}x{rows}<{scalar}>")),
        1 => (2..5, 2..5).prop_map(|(columns, rows)| format!("mat{columns}x{rows}f")),
    ];
    let leaf = if with_atomics {
        prop_oneof![8 => leaf, 1 => Just("atomic<u32>".to_owned()), 1 => Just("atomic<i32>".to_owned())].boxed()
    } else {
        leaf.boxed()
    };
    leaf.prop_recursive(2, 4, 1, |element| {
        (element, 1_u32..4).prop_map(|(element, length)| format!("array<{element}, {length}>"))
    })
    .boxed()
}

/// A member: a type of its own or the number of an earlier structure, in an array or not; what `@size` adds; `@align`.
type Member = (Result<String, prop::sample::Index>, Option<u32>, Option<u32>, Option<u32>);

/// Structures that use earlier ones, `T` last. Only `T` has `@align`: naga forgets it in nested structures.
fn structures(with_atomics: bool) -> impl Strategy<Value = String> {
    let ty = prop_oneof![3 => plain_type(with_atomics).prop_map(Ok), 1 => any::<prop::sample::Index>().prop_map(Err)];
    let array = prop::option::weighted(0.2, 1_u32..4);
    let size = prop::option::weighted(0.2, 0_u32..40);
    let align = prop::option::weighted(0.2, prop::sample::select(vec![16, 32, 64]));
    let member = (ty, array, size, align);
    prop::collection::vec(prop::collection::vec(member, 1..6), 1..5).prop_map(|structures| {
        let mut text = String::new();
        let last = structures.len() - 1;
        for (number, members) in structures.iter().enumerate() {
            let name = if number == last { "T".to_owned() } else { format!("S{number}") };
            let members =
                members.iter().enumerate().map(|(index, member)| declared(member, index, number, number == last));
            text += &format!("struct {name} {{ {} }}\n", members.collect::<Vec<_>>().join(", "));
        }
        text
    })
}

fn declared((ty, array, size, align): &Member, index: usize, earlier: usize, is_outermost: bool) -> String {
    let is_plain = ty.is_ok();
    let ty = match ty {
        Ok(plain) => plain.clone(),
        Err(_) if earlier == 0 => "f32".to_owned(),
        Err(number) => format!("S{}", number.index(earlier)),
    };
    let ty = array.map_or(ty.clone(), |length| format!("array<{ty}, {length}>"));
    let align = align.filter(|_| is_outermost).map_or(String::new(), |bytes| format!("@align({bytes}) "));
    // Past every plain type here, so that it is never too little.
    let size = size.filter(|_| is_plain).map_or(String::new(), |more| format!("@size({}) ", 2_000 + more));
    format!("{align}{size}m{index}: {ty}")
}

/// The value of a type whose scalars are `next`, `next + 1`, ... in order.
fn counted(ty: &Type, next: &mut u32) -> Value {
    let mut number = || {
        *next = (*next + 1) % 2048;
        f64::from(*next)
    };
    match ty {
        Type::Scalar(_) | Type::Atomic(_) => Value::Number(number()),
        Type::Vector { components, .. } => Value::Numbers((0..*components).map(|_| number()).collect()),
        Type::Matrix { columns, rows, .. } => Value::Numbers((0..columns * rows).map(|_| number()).collect()),
        Type::Array(array) => {
            let elements = 0..array.length.unwrap();
            Value::Fields(elements.map(|index| (index.to_string(), counted(&array.element, next))).collect())
        }
        Type::Struct(structure) => {
            let members = structure.members.iter();
            Value::Fields(members.map(|member| (member.name.clone(), counted(&member.ty, next))).collect())
        }
    }
}

/// The same numbers where naga says that the scalars of the type are.
fn placed(oracle: &Oracle, ty: Handle<NagaType>, offset: u32, next: &mut u32, bytes: &mut [u8]) {
    let mut put = |scalar: naga::Scalar, offset: u32| {
        *next = (*next + 1) % 2048;
        let place = &mut bytes[offset as usize..][..usize::from(scalar.width)];
        match (scalar.kind, scalar.width) {
            (ScalarKind::Float, 4) => place.copy_from_slice(&(*next as f32).to_le_bytes()),
            (ScalarKind::Float, _) => place.copy_from_slice(&half_of_whole(*next).to_le_bytes()),
            _ => place.copy_from_slice(&next.to_le_bytes()),
        }
    };
    match &oracle.module.types[ty].inner {
        TypeInner::Scalar(scalar) => put(*scalar, offset),
        TypeInner::Vector { size, scalar } => {
            (0..*size as u32).for_each(|index| put(*scalar, offset + index * u32::from(scalar.width)));
        }
        TypeInner::Matrix { columns, rows, scalar } => {
            let column = Alignment::from(*rows) * u32::from(scalar.width);
            for index in 0..*columns as u32 {
                (0..*rows as u32).for_each(|row| put(*scalar, offset + index * column + row * u32::from(scalar.width)));
            }
        }
        TypeInner::Array { base, size: ArraySize::Constant(length), stride } => {
            (0..length.get()).for_each(|index| placed(oracle, *base, offset + index * stride, next, bytes));
        }
        TypeInner::Struct { members, .. } => {
            members.iter().for_each(|member| placed(oracle, member.ty, offset + member.offset, next, bytes));
        }
        other => panic!("no such type is generated: {other:?}"),
    }
}

/// The bits of a half that is a whole number below 2048, which are all exact.
fn half_of_whole(whole: u32) -> u16 {
    let Some(exponent) = whole.checked_ilog2() else { return 0 };
    (((exponent + 15) << 10) | ((whole - (1 << exponent)) << (10 - exponent))) as u16
}

proptest! {
    #![proptest_config(reading::cases(600))]

    #[test]
    fn every_member_lies_where_naga_puts_it(types in structures(true)) {
        let wgsl = module(&types, "read_write");
        let plan = kernel(&wgsl, &KernelOptions::default(), &no_limits()).unwrap();
        let oracle = Oracle::read(&wgsl).unwrap_or_else(|problem| panic!("{problem}\n{wgsl}"));
        prop_assert_eq!(facts(&plan), oracle.facts("main", &[]), "{}", wgsl);
    }

    #[test]
    fn every_value_is_packed_where_naga_puts_it(types in structures(false)) {
        let wgsl = module(&types, "read");
        let oracle = Oracle::read(&wgsl).unwrap_or_else(|problem| panic!("{problem}\n{wgsl}"));
        let binding = binding(&types);
        let packed = pack(&binding, &counted(&binding.ty, &mut 0), "k").unwrap();
        let (_, variable) = oracle.module.global_variables.iter().next().unwrap();
        let mut expected = vec![0; (binding.ty.size() as usize).next_multiple_of(4)];
        placed(&oracle, variable.ty, 0, &mut 0, &mut expected);
        prop_assert_eq!(packed, expected, "{}", wgsl);
    }

    #[test]
    fn a_list_of_numbers_fills_a_plain_type_like_its_parts(ty in plain_type(false)) {
        let binding = binding(&format!("alias T = {ty};"));
        let by_parts = pack(&binding, &counted(&binding.ty, &mut 0), "k").unwrap();
        let scalars = (1..).scan((), |(), number| Some(f64::from(number)));
        let lists = (1..200).map(|length| Value::Numbers(scalars.clone().take(length).collect()));
        let fitting: Vec<Vec<u8>> = lists.filter_map(|list| pack(&binding, &list, "k").ok()).collect();
        prop_assert_eq!(fitting, vec![by_parts], "{}", ty);
    }
}
