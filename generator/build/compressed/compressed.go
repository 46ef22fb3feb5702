// Package compressed is how a site keeps what its scripts fetch: recordings, what belongs to them,
// source code and the index of the search are gzip files by name and type, whatever a host does with
// others. So they take a tenth of the room, and are sent as they lie there. site/widgets/runs/load.ts
// decompresses them. The control plane, by far the largest, is Zstandard, which site/widgets/runs/zstd.ts
// decompresses: it is a fifth smaller.
package compressed

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"sync"

	"kubewalk/generator/build/libzstd"
)

// Ext is behind the name of a file that is compressed: "wide.json.gz".
const Ext = ".gz"

// Type is the media type of such a file. It has no Content-Encoding: a browser hands it on as it is.
const Type = "application/gzip"

// Gzip compresses as well as it can. The header has no name and no time: the same data are the same bytes.
func Gzip(data []byte) []byte {
	var out bytes.Buffer
	w := gzipWriters.Get().(*gzip.Writer)
	defer gzipWriters.Put(w)
	w.Reset(&out)
	_, _ = w.Write(data) // a buffer takes all
	_ = w.Close()
	return out.Bytes()
}

// gzipWriters are kept: a writer has tables of nearly a megabyte, and a site has hundreds of small files.
var gzipWriters = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(io.Discard, gzip.BestCompression)
	if err != nil {
		panic("compressed: " + err.Error()) // the level exists
	}
	return w
}}

// Gunzip is what was compressed.
func Gunzip(data []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// ZstdExt is behind the name of a file that is compressed by Zstd.
const ZstdExt = ".zst"

// ZstdType is the media type of such a file (RFC 8878).
const ZstdType = "application/zstd"

// zstdLevel is the highest of libzstd's that takes no more memory to decompress. It takes a third longer than the one below and saves 1 %.
const zstdLevel = 19

// ZstdMethod changes when the same data would give other bytes.
var ZstdMethod = fmt.Sprintf("libzstd %s, level %d", libzstd.Version, zstdLevel)

// Zstd compresses as well as it can, into one frame that says how large the data are.
func Zstd(data []byte) ([]byte, error) { return libzstd.Compress(data, zstdLevel) }
