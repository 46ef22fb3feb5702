package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/httpapi"
	"kubewalk/playground/trace"
)

// serveCluster runs a cluster on a port, for the real kubectl, until the context ends: a new one, or a demo's at a moment.
func serveCluster(ctx context.Context, _ *place, f flags, arguments []string, out io.Writer) error {
	if f.show != "" {
		f.show, arguments = showAt(f.show, arguments)
	}
	if len(arguments) > 1 {
		return misuse(fmt.Sprintf("cluster runs one cluster, not %d demos (a link has an & in it: put it in quotes)", len(arguments)))
	}
	options, err := clusterOptions(f)
	if err != nil {
		return err
	}
	file := cmp.Or(f.kubeconfig, "kubeconfig")
	if err := replaceable(file); err != nil {
		return err
	}
	about := "starting"
	var from *moment
	if len(arguments) == 1 {
		if f.nodes != "" || f.hollow != "" || f.authorization != "" {
			return misuse("--nodes, --hollow-nodes and --authorization are for a new cluster, not for a demo's: leave them out")
		}
		if from, err = momentOf(f.content, arguments[0]); err != nil {
			return err
		}
		about = fmt.Sprintf("%s at %v", from.scenario.Name, (from.at - from.scenario.Setup).Round(time.Millisecond))
		if from.note != "" {
			fmt.Fprintln(out, "note: "+from.note)
		}
		if err := from.run(&options, trace.Off); err != nil {
			return err
		}
	}
	var save *saver
	if f.save != "" {
		w := started(sessionOf(demoName(f.save), languagesOf(f.content), &options))
		if from != nil {
			w = from.saved
		}
		if save, err = newSaver(f.save, w, &options, out); err != nil {
			return err
		}
	}
	var page *show
	if f.show != "" {
		if page, err = newShow(f.show, from, &options); err != nil {
			return err
		}
		defer page.listener.Close()
	}
	s, err := httpapi.Start(options)
	if err != nil {
		return fmt.Errorf("%w: choose another address with --listen, or another port with PORT=", err)
	}
	if err := writePrivate(file, s.Kubeconfig()); err != nil {
		return errors.Join(err, s.Close())
	}
	fmt.Fprintf(out, "cluster on %s, %s\n", s.URL(), about)
	if options.Cluster != nil || s.Ready(ctx) == nil { // of a demo, nodes may be down for good
		fmt.Fprintf(out, "ready: kubectl --kubeconfig %s get nodes\n", file)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	showing := make(chan error, 1)
	if page == nil {
		close(showing)
	} else {
		go func() {
			showing <- page.serve(ctx, s, func(address string) { fmt.Fprintf(out, "page: %s\n", address) })
			stop() // without its page a session ends
		}()
	}
	if save == nil {
		<-ctx.Done()
		return errors.Join(<-showing, s.Close())
	}
	save.until(ctx)
	now, err := s.Elapsed()
	return errors.Join(<-showing, err, s.Close(), save.end(now))
}

// clusterOptions reads the flags of the command.
func clusterOptions(f flags) (httpapi.Options, error) {
	wrong := func(name, value, want string) error {
		return misuse(fmt.Sprintf("--%s %q is not %s", name, value, want))
	}
	nodes, err := strconv.Atoi(cmp.Or(f.nodes, "3"))
	if err != nil || nodes < 0 || nodes > 100 {
		return httpapi.Options{}, wrong("nodes", f.nodes, "a number between 0 and 100")
	}
	config := cluster.DefaultConfig()
	if f.hollow != "" {
		n, err := strconv.Atoi(f.hollow)
		if err != nil || n < 1 || n > 5000 {
			return httpapi.Options{}, wrong("hollow-nodes", f.hollow, "a number between 1 and 5000")
		}
		config.HollowNodes = &cluster.HollowNodes{Count: n}
		if f.nodes == "" {
			nodes = 0
		}
	}
	if config.Authorization = f.authorization; config.Authorization != "" && config.Authorization != cluster.RBAC {
		return httpapi.Options{}, wrong("authorization", f.authorization, cluster.RBAC)
	}
	speed, err := strconv.ParseFloat(cmp.Or(f.speed, "1"), 64)
	if err != nil || speed < httpapi.MinSpeed || speed > httpapi.MaxSpeed {
		return httpapi.Options{}, wrong("speed", f.speed, fmt.Sprintf("a number between %v and %v", httpapi.MinSpeed, httpapi.MaxSpeed))
	}
	config.Nodes = cluster.NumberedNodes(nodes)
	config.Epoch = time.Now().UTC().Truncate(time.Second)
	config.Network, config.Metrics, config.NetworkPolicies, config.Trace = nodes > 0, nodes > 0, nodes > 0, trace.Off
	config.CEL, config.AllKinds, config.Devices = true, true, true
	listen := f.listen
	if listen == "" {
		listen = "127.0.0.1:" + cmp.Or(os.Getenv("PORT"), "6443")
	}
	return httpapi.Options{Config: config, Seed: 1, Speed: speed, Listen: listen, Log: log.New(io.Discard, "", 0)}, nil
}

// replaceable refuses to write over somebody's own kubeconfig.
func replaceable(file string) error {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !bytes.Contains(text, []byte("current-context: "+httpapi.Context+"\n")) {
		return fmt.Errorf("%s is there already and was not written by kubewalk cluster: name another file with --kubeconfig", file)
	}
	return nil
}

// writePrivate writes a file that only its owner may read, at once or not at all.
func writePrivate(file string, data []byte) error {
	temporary, err := os.CreateTemp(filepath.Dir(file), ".kubewalk-*") // it has mode 0600
	if err != nil {
		return err
	}
	_, err = temporary.Write(data)
	if err = errors.Join(err, temporary.Close()); err == nil {
		err = os.Rename(temporary.Name(), file)
	}
	if err != nil {
		os.Remove(temporary.Name())
	}
	return err
}
