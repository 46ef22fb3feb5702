package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"kubewalk/playground/check/chaos"
	"kubewalk/playground/trace"
)

// checks runs experiments on all processors and prints those in which something
// does not hold, in the order of their seeds, and how far it has come.
func checks(seeds []uint64) error {
	debug.SetGCPercent(400) // each lives for a tenth of a second
	n := len(seeds)
	results := make([][]string, n)
	met := make([]chaos.Met, n)
	next := make(chan int)
	var done sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		done.Add(1)
		go func() {
			defer done.Done()
			for i := range next {
				results[i], met[i] = check(seeds[i])
			}
		}()
	}
	for i := range n {
		if i > 0 && i%1000 == 0 {
			fmt.Fprintf(os.Stderr, "%d of %d experiments\n", i, n)
		}
		next <- i
	}
	close(next)
	done.Wait()
	failed := 0
	for i, wrong := range results {
		for _, w := range wrong {
			fmt.Printf("seed=%d FAILED: %s\n", seeds[i], w)
		}
		if len(wrong) > 0 {
			failed++
		}
	}
	never := summary(os.Stdout, met)
	if failed > 0 {
		return fmt.Errorf("%d of %d experiments failed (see one with: go run ./playground/check/trace -random 1 -print -seed N)", failed, n)
	}
	if never != nil && n >= enough {
		return never
	}
	fmt.Printf("%d experiments, from seed %d on: all holds in each\n", n, seeds[0])
	return nil
}

// enough is how many experiments are to meet everything that there is to meet: as many as each run of all tests makes.
const enough = 1500

// summary prints of everything that experiments can meet in how many it was, and how often; the error names what was in none.
func summary(out io.Writer, met []chaos.Met) error {
	var never []string
	for _, name := range chaos.Known() {
		in, times := 0, 0
		for _, m := range met {
			times += m[name]
			if m[name] > 0 {
				in++
			}
		}
		fmt.Fprintf(out, "%-50s in %5d experiments, %9d times\n", name, in, times)
		if in == 0 {
			never = append(never, name)
		}
	}
	if len(never) > 0 {
		return fmt.Errorf("in no experiment: %s", strings.Join(never, "; "))
	}
	return nil
}

func check(seed uint64) (wrong []string, met chaos.Met) {
	defer func() { // one that panics is a failure like others
		if p := recover(); p != nil {
			wrong = append(wrong, fmt.Sprintf("panic: %v", p))
		}
	}()
	s := chaos.Random(seed)
	s.Cluster.Trace = trace.Unstacked
	_, wrong, met = chaos.Measure(s)
	for _, name := range chaos.Ingredients(seed) {
		met["ingredient "+name]++
	}
	return wrong, met
}
