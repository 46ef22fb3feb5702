// Package libwebp writes WebP with libwebp itself, the library of those who made
// the format: 1.6.0, compiled to WebAssembly, which runs in wazero, without cgo and
// without access to anything. WebAssembly says of each operation what comes out, to
// the last bit, and this program imports nothing, so the same image makes the same
// bytes on every machine: what is kept of them can be compared.
//
// libwebp.wasm.gz is lib/webp.wasm of the Go module github.com/gen2brain/webp 0.6.0.
// The module itself won't do: it prefers a libwebp that it finds on the machine, of
// whatever version, unless everybody who builds the generator remembers a build tag;
// and what it loads that with links the program to the machine's C library.
package libwebp

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"image"
	"io"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

//go:embed libwebp.wasm.gz
var packed []byte

// effort is libwebp's method, of 0 to 6. With 6, photographs get 2 to 6 % smaller,
// and take up to three times as long.
const effort = 4

// Encode writes an image with loss, of a quality from 1 to 100. It may be called by
// several goroutines.
func Encode(img *image.NRGBA, quality int) ([]byte, error) { return encode(img, quality, false) }

// EncodeLossless writes an image as it is, but for the colour of what cannot be seen.
func EncodeLossless(img *image.NRGBA) ([]byte, error) { return encode(img, 75, true) }

// program is libwebp, ready to run.
type program struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
}

// compiled is it as the machine's code, which takes a moment to make.
var compiled = sync.OnceValues(func() (program, error) { return load(wazero.NewRuntimeConfig()) })

func load(config wazero.RuntimeConfig) (p program, err error) {
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return p, err
	}
	code, err := io.ReadAll(unpacked)
	if err != nil {
		return p, err
	}
	p.runtime = wazero.NewRuntimeWithConfig(context.Background(), config)
	p.module, err = p.runtime.CompileModule(context.Background(), code)
	return p, err
}

// large is held while an image of many megapixels is written: it takes hundreds of
// megabytes, and there may be many processors.
var large sync.Mutex

const largePixels = 8_000_000

func encode(img *image.NRGBA, quality int, lossless bool) ([]byte, error) {
	p, err := compiled()
	if err != nil {
		return nil, fmt.Errorf("libwebp: %w", err)
	}
	data, err := p.encode(img, quality, lossless)
	if err != nil {
		return nil, fmt.Errorf("libwebp: %w", err)
	}
	return data, nil
}

func (p program) encode(img *image.NRGBA, quality int, lossless bool) (out []byte, err error) {
	size := img.Bounds().Size()
	if size.X < 1 || size.Y < 1 || size.X > 16383 || size.Y > 16383 {
		return nil, fmt.Errorf("an image of %d × %d (WebP has 1 to 16383 each way)", size.X, size.Y)
	}
	if size.X*size.Y > largePixels {
		large.Lock()
		defer large.Unlock()
	}
	ctx := context.Background()
	m, err := p.runtime.InstantiateModule(ctx, p.module, wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.Close(ctx)) }()

	pixels, err := place(ctx, m, 4*size.X*size.Y)
	if err != nil {
		return nil, err
	}
	for y := range size.Y {
		row := img.Pix[y*img.Stride:][:4*size.X]
		if !m.Memory().Write(pixels+uint32(4*size.X*y), row) {
			return nil, errors.New("pixels outside of its memory")
		}
	}
	length, err := place(ctx, m, 4)
	if err != nil {
		return nil, err
	}
	without := uint64(0)
	if lossless {
		without = 1
	}
	const rgba, inexact = 0, 0
	result, err := m.ExportedFunction("encode").Call(ctx, uint64(pixels), uint64(size.X), uint64(size.Y), uint64(length), rgba, uint64(quality), effort,
		without, inexact)
	if err != nil {
		return nil, err
	}
	n, _ := m.Memory().ReadUint32Le(length)
	data, ok := m.Memory().Read(uint32(result[0]), n)
	if result[0] == 0 || n == 0 || !ok {
		return nil, errors.New("the image cannot be written")
	}
	return bytes.Clone(data), nil // the memory goes with the module
}

// place takes room in the program's memory, of zeros in its first bytes.
func place(ctx context.Context, m api.Module, bytes int) (uint32, error) {
	result, err := m.ExportedFunction("malloc").Call(ctx, uint64(bytes))
	if err != nil {
		return 0, err
	}
	at := uint32(result[0])
	if at == 0 || !m.Memory().WriteUint32Le(at, 0) {
		return 0, fmt.Errorf("no room for %d bytes", bytes)
	}
	return at, nil
}
