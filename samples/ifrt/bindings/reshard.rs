// SPDX-License-Identifier: Apache-2.0
// libplinth_ifrt from Rust, without a crate: what a binding declares, wraps and frees.
//   rustc reshard.rs -l plinth_ifrt -l plinth -L native=LIBRARIES -C link-arg=-Wl,-rpath,LIBRARIES
//   reshard PLUGIN PROGRAM.mlir        (the program takes and gives an f32[2,4])
use std::ffi::{CStr, CString};
use std::os::raw::{c_char, c_int, c_void};
use std::{env, fs, mem, process, ptr};

// Handles are opaque; structs begin with their size, and what is not set is zero.
#[repr(C)]
struct ClientOptions {
    struct_size: usize,
    plugin: *const c_char,
    layers: *const c_char,
    api: *const c_void,
    options: *const *const c_char,
    num_options: usize,
}
#[repr(C)]
struct NamedSharding {
    struct_size: usize,
    axis_names: *const *const c_char,
    axis_sizes: *const i64,
    num_axes: usize,
    rank: usize,
    num_dim_axes: *const usize,
    dim_axes: *const usize,
}
#[repr(C)]
struct HostArray {
    struct_size: usize,
    type_: i32,
    dims: *const i64,
    num_dims: usize,
    sharding: *const c_void,
    data: *const c_void,
    byte_strides: *const i64,
    shard_data: *const *const c_void,
    num_shard_data: usize,
}
#[repr(C)]
struct HostDestination {
    struct_size: usize,
    data: *mut c_void,
    byte_strides: *const i64,
}
// Later fields have defaults: a struct may end where a binding needs no more.
#[repr(C)]
struct CompileOptions {
    struct_size: usize,
    code: *const c_char,
    code_size: usize,
    format: *const c_char,
    devices: *const *const c_void,
    num_devices: usize,
}

const F32: i32 = 11; // PJRT_Buffer_Type_F32
const DURING_CALL: c_int = 0;
const ALWAYS_COPY: c_int = 0;
const ANY_RUNG: c_int = 0;

type Status = *mut c_void; // Null is success.
type Done = Option<extern "C" fn(*mut c_void)>;
extern "C" {
    fn plinth_status_message(status: Status) -> *const c_char;
    fn plinth_status_destroy(status: Status);
    fn plinth_ifrt_client_create(options: *const ClientOptions, client: *mut *mut c_void) -> Status;
    fn plinth_ifrt_client_devices(client: *mut c_void, count: *mut usize) -> *const *const c_void;
    fn plinth_ifrt_client_release(client: *mut c_void);
    fn plinth_ifrt_sharding_replicated(client: *mut c_void, devices: *const *const c_void, count: usize,
        memory: *const c_char, sharding: *mut *mut c_void) -> Status;
    fn plinth_ifrt_sharding_named(client: *mut c_void, devices: *const *const c_void, count: usize,
        memory: *const c_char, named: *const NamedSharding, sharding: *mut *mut c_void) -> Status;
    fn plinth_ifrt_sharding_release(sharding: *mut c_void);
    fn plinth_ifrt_arrays_from_host(client: *mut c_void, arrays: *const HostArray, count: usize, semantics: c_int,
        done: Done, data: *mut c_void, outputs: *mut *mut c_void) -> Status;
    fn plinth_ifrt_arrays_to_host(client: *mut c_void, arrays: *const *mut c_void, count: usize,
        to: *const HostDestination, ready: *mut *mut c_void) -> Status;
    fn plinth_ifrt_arrays_reshard(client: *mut c_void, arrays: *const *mut c_void, count: usize,
        to: *const *mut c_void, semantics: c_int, rung: c_int, outputs: *mut *mut c_void) -> Status;
    fn plinth_ifrt_arrays_release(arrays: *const *mut c_void, count: usize);
    fn plinth_ifrt_executable_compile(client: *mut c_void, options: *const CompileOptions, made: *mut *mut c_void) -> Status;
    fn plinth_ifrt_executable_execute(program: *mut c_void, arguments: *const *mut c_void, num_arguments: usize,
        options: *const c_void, outputs: *mut *mut c_void, num_outputs: usize, status: *mut *mut c_void) -> Status;
    fn plinth_ifrt_executable_release(program: *mut c_void);
    fn plinth_ifrt_future_await(future: *mut c_void, timeout_ms: i64) -> Status;
    fn plinth_ifrt_future_release(future: *mut c_void);
}

/// The text of a status, which this frees.
fn check(status: Status) -> Result<(), String> {
    if status.is_null() {
        return Ok(());
    }
    unsafe {
        let text = CStr::from_ptr(plinth_status_message(status)).to_string_lossy().into_owned();
        plinth_status_destroy(status);
        Err(text)
    }
}

/// One reference to a handle; dropping it gives the reference back. Handles keep their client.
struct Handle(*mut c_void, unsafe fn(*mut c_void));
impl Drop for Handle {
    fn drop(&mut self) {
        unsafe { (self.1)(self.0) }
    }
}
impl Handle {
    /// Of a function whose last parameter is where the handle goes.
    fn make(release: unsafe fn(*mut c_void), call: impl FnOnce(*mut *mut c_void) -> Status) -> Result<Handle, String> {
        let mut made = ptr::null_mut();
        check(call(&mut made))?;
        Ok(Handle(made, release))
    }
}
unsafe fn release_client(one: *mut c_void) { plinth_ifrt_client_release(one) }
unsafe fn release_sharding(one: *mut c_void) { plinth_ifrt_sharding_release(one) }
unsafe fn release_array(one: *mut c_void) { plinth_ifrt_arrays_release(&one, 1) }
unsafe fn release_program(one: *mut c_void) { plinth_ifrt_executable_release(one) }
unsafe fn release_future(one: *mut c_void) { plinth_ifrt_future_release(one) }

fn from_host(client: &Handle, dims: &[i64], sharding: &Handle, elements: &[f32]) -> Result<Handle, String> {
    assert_eq!(dims.iter().product::<i64>() as usize, elements.len());
    let array = HostArray {
        struct_size: mem::size_of::<HostArray>(), type_: F32, dims: dims.as_ptr(), num_dims: dims.len(),
        sharding: sharding.0, data: elements.as_ptr().cast(), byte_strides: ptr::null(),
        shard_data: ptr::null(), num_shard_data: 0,
    };
    Handle::make(release_array, |made| unsafe {
        plinth_ifrt_arrays_from_host(client.0, &array, 1, DURING_CALL, None, ptr::null_mut(), made)
    })
}

fn to_host(client: &Handle, array: &Handle, count: usize) -> Result<Vec<f32>, String> {
    let mut elements = vec![0f32; count];
    let to = HostDestination {
        struct_size: mem::size_of::<HostDestination>(), data: elements.as_mut_ptr().cast(), byte_strides: ptr::null(),
    };
    let ready = Handle::make(release_future, |made| unsafe {
        plinth_ifrt_arrays_to_host(client.0, &array.0, 1, &to, made)
    })?;
    check(unsafe { plinth_ifrt_future_await(ready.0, -1) })?; // `elements` is written until then.
    Ok(elements)
}

/// Dimension 0 or 1 of an array cut over all devices.
fn cut(client: &Handle, devices: &[*const c_void], dimension: usize) -> Result<Handle, String> {
    let sizes = [devices.len() as i64];
    let mut axes_of_dims = [0usize; 2];
    axes_of_dims[dimension] = 1;
    let axes = [0usize];
    let named = NamedSharding {
        struct_size: mem::size_of::<NamedSharding>(), axis_names: ptr::null(), axis_sizes: sizes.as_ptr(),
        num_axes: 1, rank: 2, num_dim_axes: axes_of_dims.as_ptr(), dim_axes: axes.as_ptr(),
    };
    Handle::make(release_sharding, |made| unsafe {
        plinth_ifrt_sharding_named(client.0, devices.as_ptr(), devices.len(), ptr::null(), &named, made)
    })
}

fn print(what: &str, elements: &[f32]) {
    let texts: Vec<String> = elements.iter().map(f32::to_string).collect();
    println!("{}: {}", what, texts.join(" "));
}

fn run(plugin: &str, program: &[u8]) -> Result<(), String> {
    let plugin = CString::new(plugin).map_err(|error| error.to_string())?;
    let option = CString::new("num_devices=8").unwrap();
    let texts = [option.as_ptr()];
    let options = ClientOptions {
        struct_size: mem::size_of::<ClientOptions>(), plugin: plugin.as_ptr(), layers: ptr::null(),
        api: ptr::null(), options: texts.as_ptr(), num_options: 1,
    };
    let client = Handle::make(release_client, |made| unsafe { plinth_ifrt_client_create(&options, made) })?;
    let mut count = 0;
    let devices = unsafe {
        let first = plinth_ifrt_client_devices(client.0, &mut count);
        std::slice::from_raw_parts(first, count)
    };

    // A program on one device.
    let one = Handle::make(release_sharding, |made| unsafe {
        plinth_ifrt_sharding_replicated(client.0, &devices[3], 1, ptr::null(), made)
    })?;
    let elements: Vec<f32> = (0..8).map(|i| i as f32).collect();
    let argument = from_host(&client, &[2, 4], &one, &elements)?;
    let options = CompileOptions {
        struct_size: mem::size_of::<CompileOptions>(), code: program.as_ptr().cast(), code_size: program.len(),
        format: ptr::null(), devices: &devices[3], num_devices: 1,
    };
    let compiled = Handle::make(release_program, |made| unsafe {
        plinth_ifrt_executable_compile(client.0, &options, made)
    })?;
    let result = Handle::make(release_array, |made| unsafe {
        plinth_ifrt_executable_execute(compiled.0, &argument.0, 1, ptr::null(), made, 1, ptr::null_mut())
    })?;
    print("program", &to_host(&client, &result, 8)?);

    // An array over all devices, cut by rows, then by columns.
    let elements: Vec<f32> = (0..64).map(|i| i as f32).collect();
    let rows = from_host(&client, &[8, 8], &cut(&client, devices, 0)?, &elements)?;
    let columns = cut(&client, devices, 1)?;
    let moved = Handle::make(release_array, |made| unsafe {
        plinth_ifrt_arrays_reshard(client.0, &rows.0, 1, &columns.0, ALWAYS_COPY, ANY_RUNG, made)
    })?;
    print("columns", &to_host(&client, &moved, 64)?);

    // What is wrong is a status with a text.
    let error = from_host(&client, &[2, 2, 2], &columns, &[0f32; 8]).err().ok_or("three dimensions were cut as two")?;
    println!("refused: {}", error.contains("dimensions"));
    Ok(())
}

fn main() {
    let arguments: Vec<String> = env::args().collect();
    if arguments.len() != 3 {
        eprintln!("usage: {} PLUGIN PROGRAM.mlir", arguments[0]);
        process::exit(2);
    }
    let done = fs::read(&arguments[2]).map_err(|error| error.to_string())
        .and_then(|program| run(&arguments[1], &program));
    if let Err(error) = done {
        eprintln!("{}", error);
        process::exit(1);
    }
}
