//! The codes this crate shares with the published `vyre-driver` carry the same numbers, so one alert rule serves both.

use steadfast_gpu::ErrorCode;
use vyre_driver::backend::ErrorCode as VyreCode;

const SHARED: [(ErrorCode, VyreCode); 9] = [
    (ErrorCode::DeviceOutOfMemory, VyreCode::DeviceOutOfMemory),
    (ErrorCode::UnsupportedFeature, VyreCode::UnsupportedFeature),
    (ErrorCode::PoisonedLock, VyreCode::PoisonedLock),
    (ErrorCode::KernelCompileFailed, VyreCode::KernelCompileFailed),
    (ErrorCode::DispatchFailed, VyreCode::DispatchFailed),
    (ErrorCode::InvalidProgram, VyreCode::InvalidProgram),
    (ErrorCode::CooperativeResidencyExceeded, VyreCode::CooperativeResidencyExceeded),
    (ErrorCode::DeviceLost, VyreCode::DeviceLost),
    (ErrorCode::Unknown, VyreCode::Unknown),
];

#[test]
fn shared_names_carry_the_same_numbers() {
    for (ours, theirs) in SHARED {
        assert_eq!(ours.name(), format!("{theirs:?}"));
        assert_eq!(ours.stable_id(), theirs.stable_id(), "{ours}");
    }
}

#[test]
fn the_code_that_only_we_have_has_a_number_of_its_own() {
    let only_ours: Vec<ErrorCode> =
        ErrorCode::ALL.into_iter().filter(|code| SHARED.iter().all(|(shared, _)| shared != code)).collect();
    assert_eq!(only_ours, [ErrorCode::ExecutionAborted]);
    assert!(SHARED.iter().all(|(_, theirs)| theirs.stable_id() != ErrorCode::ExecutionAborted.stable_id()));
}
