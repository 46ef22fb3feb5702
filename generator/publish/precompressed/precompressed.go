// Package precompressed puts a site's files beside themselves as a server sends them: "index.html.br" and "index.html.gz"
// beside "index.html". A server that knows how (nginx: gzip_static, brotli_static; Caddy: precompressed) then compresses
// nothing while readers wait, and sends less than it would, since a build has time for the best level.
//
// There is no form for Zstandard: browsers that take it take Brotli, which is smaller for texts.
package precompressed

import (
	"bytes"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/andybalholm/brotli"

	"kubewalk/generator/build/compressed"
	"kubewalk/generator/build/headers"
	"kubewalk/generator/build/output"
)

// A file that would become no smaller than this part of itself stays alone; so does one that fits into a packet.
const (
	worthwhile = 0.9
	smallest   = 512
)

// form is a content coding (RFC 9110, 8.4.1) and the end of names of files that have it.
type form struct {
	coding, ext string
	compress    func([]byte) []byte
}

var forms = []form{{"br", ".br", brotlied}, {"gzip", compressed.Ext, compressed.Gzip}}

// Of is the file that one of this name would be a compressed form of, and its content coding. Whether it is one
// depends on whether that file is there.
func Of(name string) (original, coding string, ok bool) {
	for _, f := range forms {
		if original, ok = strings.CutSuffix(name, f.ext); ok {
			return original, f.coding, true
		}
	}
	return "", "", false
}

// Add puts the compressed forms into a finished site. What hosts read themselves (_headers) has none, nor have files that
// are compressed as they are. The same site gets the same bytes. A file that is there already, of the name of a compressed form,
// stays as it is.
func Add(site *output.Tree) {
	var names []string
	for _, name := range site.Paths() {
		if !strings.HasPrefix(name, "_") && headers.IsText(headers.TypeOf(name)) {
			names = append(names, name)
		}
	}
	var next atomic.Int64
	var running sync.WaitGroup
	for range min(len(names), runtime.GOMAXPROCS(0)) {
		running.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(names); i = int(next.Add(1)) - 1 {
				addForms(site, names[i])
			}
		})
	}
	running.Wait()
}

func addForms(site *output.Tree, name string) {
	data, _ := site.Get(name)
	if len(data) < smallest {
		return
	}
	for _, f := range forms {
		if site.Has(name + f.ext) {
			continue
		}
		if made := f.compress(data); float64(len(made)) <= worthwhile*float64(len(data)) {
			site.Put(name+f.ext, made)
		}
	}
}

func brotlied(data []byte) []byte {
	var out bytes.Buffer
	w := brotli.NewWriterLevel(&out, brotli.BestCompression)
	_, _ = w.Write(data) // a buffer takes all
	_ = w.Close()
	return out.Bytes()
}
