package trace

import (
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// StackID is an index into a run's table of call stacks. 0 is "none".
type StackID int

// Frame is one call. File is relative to the module's root
// ("playground/controlplane/store/store.go"), so it is the same on every machine.
type Frame struct {
	File string
	Line int
	// Func is for show only: which functions appear under which name depends
	// on inlining, which differs between amd64, arm64 and wasm.
	Func string
}

// Stacks interns call stacks. Two stacks are the same when their files and
// lines are, so the numbers are the same on every host.
type Stacks struct {
	frames [][]Frame
	byPCs  map[uint64][]captured // by their hash
	byText map[string]StackID
	pcs    [maxDepth]uintptr // Capture's, kept here since runtime.Callers would have it allocated each time
}

// captured is a stack as the runtime gives it.
type captured struct {
	pcs []uintptr
	id  StackID
}

const maxDepth = 48

// NewStacks returns an empty table.
func NewStacks() *Stacks {
	return &Stacks{
		frames: [][]Frame{nil},
		byPCs:  map[uint64][]captured{},
		byText: map[string]StackID{"": 0},
	}
}

// Capture interns the caller's stack, innermost frame first. skip is the number
// of innermost frames to leave out, 0 being Capture's caller. Only frames of
// this module count, and neither those of the kernel and of this package, which
// say how the simulation works, nor those of the host around it: the same run
// has the same stacks on every host.
func (s *Stacks) Capture(skip int) StackID {
	pcs := s.pcs[:runtime.Callers(skip+2, s.pcs[:])]
	hash := uint64(14695981039346656037) // FNV-1a, by words
	for _, pc := range pcs {
		hash = (hash ^ uint64(pc)) * 1099511628211
	}
	known := s.byPCs[hash]
	for i := range known {
		if slices.Equal(known[i].pcs, pcs) {
			return known[i].id
		}
	}
	id := s.intern(resolve(pcs))
	s.byPCs[hash] = append(known, captured{slices.Clone(pcs), id})
	return id
}

func (s *Stacks) intern(frames []Frame) StackID {
	var b strings.Builder
	for _, f := range frames {
		b.WriteString(f.File)
		b.WriteByte(':')
		b.WriteString(strconv.Itoa(f.Line))
		b.WriteByte('\n')
	}
	text := b.String()
	if id, ok := s.byText[text]; ok {
		return id
	}
	id := StackID(len(s.frames))
	s.frames = append(s.frames, frames)
	s.byText[text] = id
	return id
}

// Frames returns a stack, innermost call first. The slice must not be changed.
func (s *Stacks) Frames(id StackID) []Frame { return s.frames[id] }

// Len is the number of stacks, the empty one included: ids are below it.
func (s *Stacks) Len() int { return len(s.frames) }

func resolve(pcs []uintptr) []Frame {
	var out []Frame
	it := runtime.CallersFrames(pcs)
	for {
		f, more := it.Next()
		if f.Function == step {
			return out
		}
		if file, ok := modulePath(f.File); ok && !hidden(file) {
			out = append(out, Frame{File: file, Line: f.Line, Func: shortName(f.Function)})
		}
		if !more {
			return out
		}
	}
}

// root is what stands before "playground/" in the paths that the compiler
// recorded: a folder, or the module's name when built with -trimpath.
var root = func() string {
	_, file, _, _ := runtime.Caller(0)
	return strings.TrimSuffix(file, "playground/trace/stack.go")
}()

func modulePath(file string) (string, bool) {
	rest, ok := strings.CutPrefix(file, root)
	return rest, ok && strings.HasPrefix(rest, "playground/")
}

// step is where the kernel calls what stands on the agenda. What is beyond it
// is the host that lets time pass: it differs from host to host.
const step = "kubewalk/playground/sim.(*Kernel).Step"

// How the simulation works, and who starts it.
var hiddenFolders = []string{"sim/", "trace/", "demo/session/", "check/", "httpapi/"}

func hidden(file string) bool {
	below := strings.TrimPrefix(file, "playground/")
	for _, folder := range hiddenFolders {
		if strings.HasPrefix(below, folder) {
			return true
		}
	}
	return strings.HasSuffix(file, "_test.go")
}

// shortName turns "kubewalk/playground/controlplane/store.(*Store).Create" into "store.(*Store).Create".
func shortName(function string) string {
	return function[strings.LastIndexByte(function, '/')+1:]
}
