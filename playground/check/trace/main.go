// Command trace runs demos' scripts, and prints for each its path, its trace, and a hash of its frames:
//
//	go run ./playground/check/trace content/demos/replicaset-scale.yaml
//
// What is claimed of the demo, and its exercises, are proved by go run ./generator trace.
//
// With -random N it runs N random experiments instead, from -seed on, checks
// what must hold in each, and prints a line with the hash of each one's trace;
// with -check as well it does so on all processors, and prints what does not hold;
// with -with INGREDIENT it takes only experiments that have it (deployments, quotas: the files of playground/check/chaos).
// Built with GOOS=js GOARCH=wasm and run under Node it prints the same bytes.
package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"

	"kubewalk/playground/check/chaos"
	"kubewalk/playground/demo/demofile/rehearsal"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/demo/scene"
	"kubewalk/playground/trace"
)

func main() {
	random := flag.Int("random", 0, "run that many random experiments and print a hash for each")
	seed := flag.Uint64("seed", 1, "the first experiment's seed")
	whole := flag.Bool("print", false, "with -random: print whole traces")
	check := flag.Bool("check", false, "with -random: print only what does not hold, without call stacks and hashes")
	with := flag.String("with", "", "with -random: only experiments with this ingredient")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: trace content/demos/NAME.yaml... | trace -random N [-seed S] [-print | -check]")
		flag.PrintDefaults()
	}
	flag.Parse()
	var err error
	switch {
	case *random > 0 && flag.NArg() == 0 && *check:
		err = checks(seeds(*seed, *random, *with))
	case *random > 0 && flag.NArg() == 0:
		err = experiments(seeds(*seed, *random, *with), *whole)
	case *random == 0 && flag.NArg() > 0:
		err = scripts(flag.Args())
	default:
		flag.Usage()
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// demoLine begins the line before what a demo prints.
const demoLine = "demo="

func scripts(paths []string) error {
	out := bufio.NewWriterSize(os.Stdout, 1<<20) // a write costs much in wasm
	for _, path := range paths {
		fmt.Fprintln(out, demoLine+path)
		if _, err := script(path, out); err != nil {
			return errors.Join(fmt.Errorf("%s: %w", path, err), out.Flush())
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// script runs a demo's script and prints its trace, and a hash of the frames of each layout.
func script(path string, out io.Writer) (*trace.Recorder, error) {
	layouts := []scene.Layout{scene.Wide, scene.Narrow}
	run, err := rehearsal.Script(path, layouts...)
	if err != nil {
		return nil, err
	}
	if err := run.Cluster().Trace().Print(out); err != nil {
		return nil, err
	}
	for _, l := range layouts {
		h := sha256.New()
		frames := run.Frames(l, max(1, run.Header(l).First))
		if err := json.NewEncoder(h).Encode(frames); err != nil {
			return nil, err
		}
		fmt.Fprintf(out, "layout=%s frames=%d sha256=%x\n", l, len(frames), h.Sum(nil))
	}
	return run.Cluster().Trace(), nil
}

// seeds lists n seeds from one on, of experiments with an ingredient, "" for any.
func seeds(first uint64, n int, with string) []uint64 {
	if with != "" && !slices.Contains(chaos.Known(), "ingredient "+with) {
		fmt.Fprintf(os.Stderr, "there is no ingredient %q\n", with)
		os.Exit(2)
	}
	var out []uint64
	for seed := first; len(out) < n; seed++ {
		if with == "" || slices.Contains(chaos.Ingredients(seed), with) {
			out = append(out, seed)
		}
	}
	return out
}

func experiments(seeds []uint64, whole bool) error {
	failed := 0
	for _, seed := range seeds {
		s := chaos.Random(seed)
		if !try(s, whole) {
			failed++
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d experiments failed", failed, len(seeds))
	}
	return nil
}

func try(s *scenario.Scenario, whole bool) bool {
	c, wrong := chaos.Run(s)
	h := sha256.New()
	if err := c.Trace().Print(h); err != nil {
		wrong = append(wrong, err.Error())
	}
	if whole {
		if err := c.Trace().Print(os.Stdout); err != nil {
			wrong = append(wrong, err.Error())
		}
	}
	fmt.Printf("seed=%d events=%d settled=%s sha256=%x\n", s.Seed, c.Trace().Len(), c.Elapsed(), h.Sum(nil))
	for _, w := range wrong {
		fmt.Printf("seed=%d FAILED: %s\n", s.Seed, w)
	}
	return len(wrong) == 0
}
