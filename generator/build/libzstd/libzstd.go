// Package libzstd compresses with libzstd itself, the library of those who made
// Zstandard: 1.5.7, compiled to WebAssembly, which runs in wazero, without cgo. Go's
// own encoder stops at what libzstd calls level 11, where the control plane is a sixth
// larger. The program imports nothing, so the same image makes the same bytes on every machine.
//
// libzstd.wasm.gz is made of the C files in the Go module github.com/DataDog/zstd 1.5.7,
// those of lib/common and lib/compress, without dictionaries and old formats, by clang 14 with wasi-libc:
//
//	clang --target=wasm32-wasi -mexec-model=reactor -O3 -DNDEBUG -DDEBUGLEVEL=0 -DZSTD_DISABLE_ASM=1 \
//		-DZSTD_LEGACY_SUPPORT=0 -DXXH_NAMESPACE=ZSTD_ debug.c entropy_common.c error_private.c fse_*compress.c \
//		hist.c huf_compress.c pool.c threading.c xxhash.c zstd_common.c zstd_compress*.c zstd_double_fast.c \
//		zstd_fast.c zstd_lazy.c zstd_ldm.c zstd_opt.c zstd_preSplit.c -o libzstd.wasm --gc-sections \
//		-Wl,--strip-all,--export=malloc,--export=ZSTD_compress,--export=ZSTD_compressBound,--export=ZSTD_isError
package libzstd

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

//go:embed libzstd.wasm.gz
var packed []byte

// Version is libzstd's.
const Version = "1.5.7"

// Compress makes one frame (RFC 8878), which says how large the data are and has no
// checksum. A level is one of libzstd's, from 1 to 19: 19 takes about a minute and 280 MB for the
// control plane.
func Compress(data []byte, level int) ([]byte, error) {
	out, err := compress(data, level, wazero.NewRuntimeConfig())
	if err != nil {
		return nil, fmt.Errorf("libzstd: %w", err)
	}
	return out, nil
}

func compress(data []byte, level int, config wazero.RuntimeConfig) (out []byte, err error) {
	if level < 1 || level > 19 {
		return nil, fmt.Errorf("no level %d (there are 1 to 19)", level)
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	code, err := io.ReadAll(unpacked)
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	runtime := wazero.NewRuntimeWithConfig(ctx, config)
	defer func() { err = errors.Join(err, runtime.Close(ctx)) }() // and its memory
	m, err := runtime.InstantiateWithConfig(ctx, code, wazero.NewModuleConfig().WithStartFunctions("_initialize"))
	if err != nil {
		return nil, err
	}
	from, err := place(ctx, m, uint64(len(data)))
	if err != nil {
		return nil, err
	}
	bound, err := call(ctx, m, "ZSTD_compressBound", uint64(len(data)))
	if err != nil {
		return nil, err
	}
	to, err := place(ctx, m, bound)
	if err != nil {
		return nil, err
	}
	if !m.Memory().Write(uint32(from), data) {
		return nil, errors.New("data outside of its memory")
	}
	n, err := call(ctx, m, "ZSTD_compress", to, bound, from, uint64(len(data)), uint64(level))
	if err != nil {
		return nil, err
	}
	if bad, err := call(ctx, m, "ZSTD_isError", n); err != nil || bad != 0 {
		return nil, errors.Join(fmt.Errorf("error %d", int32(n)), err)
	}
	result, ok := m.Memory().Read(uint32(to), uint32(n))
	if !ok {
		return nil, errors.New("a result outside of its memory")
	}
	return bytes.Clone(result), nil
}

// place takes room in the program's memory.
func place(ctx context.Context, m api.Module, size uint64) (uint64, error) {
	at, err := call(ctx, m, "malloc", max(size, 1))
	if err == nil && at == 0 {
		err = fmt.Errorf("no room for %d bytes", size)
	}
	return at, err
}

// call calls a function with one result.
func call(ctx context.Context, m api.Module, name string, arguments ...uint64) (uint64, error) {
	results, err := m.ExportedFunction(name).Call(ctx, arguments...)
	if err != nil {
		return 0, err
	}
	return results[0], nil
}
