package highlight

import (
	"slices"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2/lexers"
)

// remembered is how much coloured code Block keeps, in bytes of code.
const remembered = 8 << 20

var blocks struct {
	sync.Mutex
	known map[[2]string][]string
	size  int
}

// Block is Lines for a block of a chapter: one that was coloured before in this
// process is not coloured again. The lines must not be changed.
func Block(language, code string) []string {
	key := [2]string{language, code}
	blocks.Lock()
	known, ok := blocks.known[key]
	blocks.Unlock()
	if ok {
		return known
	}
	known = Lines(language, code)
	blocks.Lock()
	defer blocks.Unlock()
	if blocks.size += len(code); blocks.known == nil || blocks.size > remembered {
		blocks.known, blocks.size = map[[2]string][]string{}, len(code)
	}
	blocks.known[key] = known
	return known
}

// Names are what a block may call the languages that can be coloured.
func Names() []string {
	return slices.DeleteFunc(lexers.Names(true), func(name string) bool { return strings.ToLower(name) != name })
}
