package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"

	"kubewalk/playground/check/chaos"
	"kubewalk/playground/trace"
)

// checks runs experiments on all processors and prints those in which something
// does not hold, in the order of their seeds, and how far it has come.
func checks(seed uint64, n int) error {
	debug.SetGCPercent(400) // each lives for a tenth of a second
	results := make([][]string, n)
	next := make(chan int)
	var done sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		done.Add(1)
		go func() {
			defer done.Done()
			for i := range next {
				results[i] = check(seed + uint64(i))
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
			fmt.Printf("seed=%d FAILED: %s\n", seed+uint64(i), w)
		}
		if len(wrong) > 0 {
			failed++
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d experiments failed (see one with: go run ./playground/check/trace -random 1 -print -seed N)", failed, n)
	}
	fmt.Printf("%d experiments, from seed %d on: all holds in each\n", n, seed)
	return nil
}

func check(seed uint64) (wrong []string) {
	defer func() { // one that panics is a failure like others
		if p := recover(); p != nil {
			wrong = append(wrong, fmt.Sprintf("panic: %v", p))
		}
	}()
	s := chaos.Random(seed)
	s.Cluster.Trace = trace.Unstacked
	_, wrong = chaos.Run(s)
	return wrong
}
