//! What the browser tests share: acquiring, compiling, awaiting.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use js_sys::{ArrayBuffer, Float32Array, Uint32Array};
use steadfast_gpu::gpu::{AcquireOptions, Done, Event, Failure, Gpu, Handle, Kernel, Outcome};
use steadfast_gpu::plan::{self, KernelOptions, Shape};

/// A device whose every untold error fails the test.
pub async fn acquired() -> Gpu {
    let options = AcquireOptions { optional_features: vec!["subgroups".to_owned()], ..Default::default() };
    let notify = |event| match event {
        Event::Uncaptured(failure) => panic!("uncaptured: {failure:?}"),
        Event::Lost(_) => {}
    };
    Gpu::acquire(options, Box::new(notify)).await.expect("a device")
}

/// A device whose untold errors are kept.
pub async fn uncaptured() -> (Gpu, Rc<RefCell<Vec<Failure>>>) {
    let events = Rc::new(RefCell::new(Vec::new()));
    let keep = events.clone();
    let notify = move |event| {
        if let Event::Uncaptured(failure) = event {
            keep.borrow_mut().push(failure);
        }
    };
    (Gpu::acquire(AcquireOptions::default(), Box::new(notify)).await.expect("a device"), events)
}

/// A kernel that is being compiled.
pub fn kernel(gpu: &Gpu, wgsl: &str) -> Rc<Kernel> {
    let plan = plan::kernel(wgsl, &KernelOptions::default(), &gpu.device().limits).expect("a plan");
    let kernel = Kernel::new(plan.label.clone(), Some(plan));
    gpu.compile(kernel.clone(), wgsl.to_owned(), 1, None);
    kernel
}

/// The arguments of a call, by name.
pub fn shape(kernel: &Kernel, names: &[&str]) -> Rc<Shape> {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    Rc::new(plan::shape(kernel.plan.as_ref().expect("a plan"), &names).expect("these names"))
}

/// All bytes of a buffer.
pub async fn read(gpu: &Gpu, handle: &Handle) -> ArrayBuffer {
    let (done, answer) = Answer::new();
    gpu.read(0, handle, (None, None), None, done).expect("good arguments");
    answer.await.expect("a good read").results.pop().expect("one result")
}

/// Bytes as `f32`.
pub fn floats(bytes: &ArrayBuffer) -> Vec<f32> {
    Float32Array::new(bytes).to_vec()
}

/// Bytes as `u32`.
pub fn words(bytes: &ArrayBuffer) -> Vec<u32> {
    Uint32Array::new(bytes).to_vec()
}

/// The answer of a call, to be awaited.
pub struct Answer(Rc<RefCell<Slot>>);

#[derive(Default)]
struct Slot {
    result: Option<Result<Outcome, Failure>>,
    waker: Option<Waker>,
}

impl Answer {
    /// What to give the call, and what to await.
    pub fn new() -> (Done, Answer) {
        let slot = Rc::new(RefCell::new(Slot::default()));
        let filled = slot.clone();
        let done: Done = Box::new(move |result| {
            let mut slot = filled.borrow_mut();
            slot.result = Some(result);
            if let Some(waker) = slot.waker.take() {
                waker.wake();
            }
        });
        (done, Answer(slot))
    }
}

impl Future for Answer {
    type Output = Result<Outcome, Failure>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut slot = self.0.borrow_mut();
        match slot.result.take() {
            Some(result) => Poll::Ready(result),
            None => {
                slot.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}
