// Package wrong breaks every rule of policy_test.go once, and stands beside
// what each rule lets pass. TestRulesFire reads it; nothing runs it.
package wrong

import (
	"maps"
	"math"
	"math/rand" // want "imports math/rand: use sim.Kernel.Rand"
	"os"        // want "imports os: hosts read files and the environment"
	"reflect"
	"slices"
	"sort"
	"sync" // want "imports sync: one process runs at a time"
	"time"
)

var (
	_ sync.Mutex
	_ = rand.Int
	_ = os.Args
)

func processes() {
	go processes() // want "go statement: start a process with sim.Component.Go"
}

func channels() {
	_ = make(chan int) // want "channel: hand things over with a queue"
	select {           // want "channel: hand things over with a queue"
	default:
	}
}

func clocks() {
	_ = time.Now()              // want "time.Now: use sim.Proc.Time"
	time.Sleep(1)               // want "time.Sleep: use sim.Proc.Sleep"
	_ = time.Since(time.Time{}) // want "time.Since: use sim.Proc.Now"
	later := time.AfterFunc     // want "time.AfterFunc: use sim.Component.After"
	_ = later
	_ = time.Unix(0, 0).After(time.Unix(1, 0)) // a method of the same name is fine
}

func floats(a, b, c float64, n int) float64 {
	_ = math.Pow(a, b) // want "math.Pow: it differs between amd64 and wasm"
	c = a*b + c        // want "float product added without a conversion"
	c -= a * b         // want "float product added without a conversion"
	c = float64(a*b) + c
	_ = n*n + n
	const d = 2.0*3.0 + 1.0
	return c + d
}

func seen(m map[string]int) (out []string) {
	for k := range m { // want "range over a map: its order differs from run to run"
		out = append(out, k)
	}
	return out
}

func sortsSomethingElse(m map[string]int, other []string) (out []string) {
	for k := range m { // want "range over a map"
		out = append(out, k)
	}
	sort.Strings(other)
	return out
}

func last(m map[string]int) (name string, byValue map[int]string) {
	byValue = map[int]string{}
	for k := range m { // want "range over a map"
		name = k
	}
	for k, v := range m { // want "range over a map"
		byValue[v] = k
	}
	return name, byValue
}

func first(m map[string]int) (string, int) {
	for k := range m { // want "range over a map"
		return k, 0
	}
	n := 0
	for _, v := range m { // want "range over a map"
		if n++; v > 3 {
			return "", 1
		}
	}
	for _, v := range m { // want "range over a map"
		if v > 3 {
			return "", 1
		} else if v < -3 {
			return "", 2
		}
	}
	return "", n
}

func calls(m map[string]int, f func(string)) {
	for k := range m { // want "range over a map"
		f(k)
	}
	for k := range maps.Keys(m) { // want "maps.Keys: its order differs from run to run"
		f(k)
	}
	_ = slices.Collect(maps.Values(m)) // want "maps.Values: its order differs"
	_ = reflect.ValueOf(m).MapKeys()   // want "reflect.MapKeys: its order differs"
	_ = slices.Sorted(maps.Keys(m))
}

func sums(m map[string]float64) (sum float64) {
	for _, v := range m { // want "range over a map"
		sum += v // rounding depends on the order
	}
	return sum
}

type holder struct{ names []string }

func unseen(m map[string]int, h *holder) (n int, out []string, copied map[string]int) {
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	for k := range m {
		switch {
		case len(k) > 3:
			h.names = append(h.names, k)
		}
	}
	slices.Sort(h.names)
	copied = map[string]int{}
	for k, v := range m {
		w := v
		if w < 0 {
			w = 0
		}
		if copied[k] = w; w == 0 {
			continue
		}
		n++
	}
	for k := range copied {
		delete(m, k)
	}
	for range m {
		n++
	}
	for _, v := range m {
		if v == 7 {
			return 0, nil, nil
		}
	}
	// order: the greatest, whichever comes first.
	for _, v := range m {
		if v > n {
			n = v
		}
	}
	return n, out, copied
}
