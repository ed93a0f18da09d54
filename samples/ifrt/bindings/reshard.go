// SPDX-License-Identifier: Apache-2.0
// libplinth_ifrt from Go: cgo reads plinth_ifrt.h itself.
//
//	CGO_CFLAGS=-IHEADERS CGO_LDFLAGS="-LLIBRARIES -Wl,-rpath,LIBRARIES" go run reshard.go PLUGIN PROGRAM.mlir
//
// The program takes and gives an f32[2,4].
package main

/*
#cgo LDFLAGS: -lplinth_ifrt -lplinth
#include <stdlib.h>
#include "plinth_ifrt.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"unsafe"
)

// The error of a status, which this frees; nil for success.
func check(status *C.plinth_status) error {
	if status == nil {
		return nil
	}
	defer C.plinth_status_destroy(status)
	return errors.New(C.GoString(C.plinth_status_message(status)))
}

// Structs that C reads hold pointers to Go's memory only while they are pinned; these live in C.
func newC[T any]() *T { return (*T)(C.calloc(1, C.size_t(unsafe.Sizeof(*new(T))))) }
func listC[T any](values []T) *T {
	list := (*T)(C.calloc(C.size_t(len(values)+1), C.size_t(unsafe.Sizeof(*new(T)))))
	copy(unsafe.Slice(list, len(values)), values)
	return list
}
func freeC[T any](one *T) { C.free(unsafe.Pointer(one)) }

type Client struct{ handle *C.plinth_ifrt_client }
type Sharding struct{ handle *C.plinth_ifrt_sharding }
type Array struct{ handle *C.plinth_ifrt_array }

func own[T any](value *T, release func(*T)) *T {
	runtime.SetFinalizer(value, release)
	return value
}

func NewClient(plugin, option string) (*Client, error) {
	options := newC[C.plinth_ifrt_client_options]()
	defer freeC(options)
	text, value := C.CString(plugin), C.CString(option)
	defer freeC(text)
	defer freeC(value)
	list := listC([]*C.char{value})
	defer freeC(list)
	options.struct_size = C.plinth_ifrt_client_options_STRUCT_SIZE
	options.plugin, options.options, options.num_options = text, list, 1
	var made *C.plinth_ifrt_client
	if err := check(C.plinth_ifrt_client_create(options, &made)); err != nil {
		return nil, err
	}
	return own(&Client{made}, func(one *Client) { C.plinth_ifrt_client_release(one.handle) }), nil
}

// Borrowed from the client.
func (client *Client) Devices() []*C.plinth_ifrt_device {
	var count C.size_t
	first := C.plinth_ifrt_client_devices(client.handle, &count)
	return unsafe.Slice((**C.plinth_ifrt_device)(unsafe.Pointer(first)), int(count))
}

// Dimension `dimension` of `rank` cut over the devices; below 0: every device has everything.
func (client *Client) Cut(devices []*C.plinth_ifrt_device, rank, dimension int) (*Sharding, error) {
	list := listC(devices)
	defer freeC(list)
	var made *C.plinth_ifrt_sharding
	var status *C.plinth_status
	if dimension < 0 {
		status = C.plinth_ifrt_sharding_replicated(client.handle, list, C.size_t(len(devices)), nil, &made)
	} else {
		named := newC[C.plinth_ifrt_named_sharding]()
		defer freeC(named)
		sizes, axes := listC([]C.int64_t{C.int64_t(len(devices))}), listC([]C.size_t{0})
		counts := make([]C.size_t, rank)
		counts[dimension] = 1
		perDim := listC(counts)
		defer freeC(sizes)
		defer freeC(axes)
		defer freeC(perDim)
		named.struct_size = C.plinth_ifrt_named_sharding_STRUCT_SIZE
		named.axis_sizes, named.num_axes, named.rank = sizes, 1, C.size_t(rank)
		named.num_dim_axes, named.dim_axes = perDim, axes
		status = C.plinth_ifrt_sharding_named(client.handle, list, C.size_t(len(devices)), nil, named, &made)
	}
	if err := check(status); err != nil {
		return nil, err
	}
	return own(&Sharding{made}, func(one *Sharding) { C.plinth_ifrt_sharding_release(one.handle) }), nil
}

func newArray(made *C.plinth_ifrt_array) *Array {
	return own(&Array{made}, func(one *Array) { C.plinth_ifrt_arrays_release(&one.handle, 1) })
}

func (client *Client) FromHost(dims []int64, sharding *Sharding, elements []float32) (*Array, error) {
	array, shape := newC[C.plinth_ifrt_host_array](), listC(dims)
	data := listC(elements)
	defer freeC(array)
	defer freeC(shape)
	defer freeC(data) // Read before the call returns.
	array.struct_size = C.plinth_ifrt_host_array_STRUCT_SIZE
	array._type, array.dims, array.num_dims = C.PJRT_Buffer_Type_F32, (*C.int64_t)(shape), C.size_t(len(dims))
	array.sharding, array.data = sharding.handle, unsafe.Pointer(data)
	var made *C.plinth_ifrt_array
	err := check(C.plinth_ifrt_arrays_from_host(client.handle, array, 1, C.PLINTH_IFRT_DURING_CALL, nil, nil, &made))
	runtime.KeepAlive(sharding)
	if err != nil {
		return nil, err
	}
	return newArray(made), nil
}

func (client *Client) ToHost(array *Array, count int) ([]float32, error) {
	to, data := newC[C.plinth_ifrt_host_destination](), listC(make([]float32, count))
	defer freeC(to)
	defer freeC(data)
	to.struct_size, to.data = C.plinth_ifrt_host_destination_STRUCT_SIZE, unsafe.Pointer(data)
	var ready *C.plinth_ifrt_future
	if err := check(C.plinth_ifrt_arrays_to_host(client.handle, &array.handle, 1, to, &ready)); err != nil {
		return nil, err
	}
	defer C.plinth_ifrt_future_release(ready)
	if err := check(C.plinth_ifrt_future_await(ready, -1)); err != nil {
		return nil, err
	}
	runtime.KeepAlive(array)
	return append([]float32(nil), unsafe.Slice(data, count)...), nil
}

func (client *Client) Reshard(array *Array, to *Sharding) (*Array, error) {
	var made *C.plinth_ifrt_array
	err := check(C.plinth_ifrt_arrays_reshard(client.handle, &array.handle, 1, &to.handle,
		C.PLINTH_IFRT_ALWAYS_COPY, C.PLINTH_IFRT_ANY_RUNG, &made))
	runtime.KeepAlive(array)
	runtime.KeepAlive(to)
	if err != nil {
		return nil, err
	}
	return newArray(made), nil
}

// Compiles a program of one output for a device, and runs it once.
func (client *Client) Run(program []byte, device *C.plinth_ifrt_device, argument *Array) (*Array, error) {
	options, code, devices := newC[C.plinth_ifrt_compile_options](), listC(program), listC([]*C.plinth_ifrt_device{device})
	defer freeC(options)
	defer freeC(code)
	defer freeC(devices)
	options.struct_size = C.plinth_ifrt_compile_options_STRUCT_SIZE
	options.code, options.code_size = (*C.char)(unsafe.Pointer(code)), C.size_t(len(program))
	options.devices, options.num_devices = devices, 1
	var compiled *C.plinth_ifrt_executable
	if err := check(C.plinth_ifrt_executable_compile(client.handle, options, &compiled)); err != nil {
		return nil, err
	}
	defer C.plinth_ifrt_executable_release(compiled)
	var made *C.plinth_ifrt_array
	err := check(C.plinth_ifrt_executable_execute(compiled, &argument.handle, 1, nil, &made, 1, nil))
	runtime.KeepAlive(argument)
	if err != nil {
		return nil, err
	}
	return newArray(made), nil
}

func iota32(count int) []float32 {
	elements := make([]float32, count)
	for i := range elements {
		elements[i] = float32(i)
	}
	return elements
}

func show(client *Client, what string, array *Array, count int) error {
	elements, err := client.ToHost(array, count)
	if err == nil {
		fmt.Printf("%s: %s\n", what, strings.Trim(fmt.Sprint(elements), "[]"))
	}
	return err
}

func run(plugin string, program []byte) error {
	client, err := NewClient(plugin, "num_devices=8")
	if err != nil {
		return err
	}
	devices := client.Devices()

	// A program on one device.
	one, err := client.Cut(devices[3:4], 2, -1)
	if err != nil {
		return err
	}
	argument, err := client.FromHost([]int64{2, 4}, one, iota32(8))
	if err != nil {
		return err
	}
	result, err := client.Run(program, devices[3], argument)
	if err != nil {
		return err
	}
	if err := show(client, "program", result, 8); err != nil {
		return err
	}

	// An array over all devices, cut by rows, then by columns.
	rows, err := client.Cut(devices, 2, 0)
	if err != nil {
		return err
	}
	columns, err := client.Cut(devices, 2, 1)
	if err != nil {
		return err
	}
	array, err := client.FromHost([]int64{8, 8}, rows, iota32(64))
	if err != nil {
		return err
	}
	moved, err := client.Reshard(array, columns)
	if err != nil {
		return err
	}
	if err := show(client, "columns", moved, 64); err != nil {
		return err
	}

	// What is wrong is a status with a text.
	_, err = client.FromHost([]int64{2, 2, 2}, columns, make([]float32, 8))
	fmt.Printf("refused: %t\n", err != nil && strings.Contains(err.Error(), "dimensions"))
	runtime.KeepAlive(client)
	return nil
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintf(os.Stderr, "usage: %s PLUGIN PROGRAM.mlir\n", os.Args[0])
		os.Exit(2)
	}
	program, err := os.ReadFile(os.Args[2])
	if err == nil {
		err = run(os.Args[1], program)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
