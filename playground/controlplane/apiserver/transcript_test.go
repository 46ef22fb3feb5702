package apiserver

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

var rewrite = flag.Bool("rewrite", false, "write what the transcripts print now into them; review the difference")

// TestTranscripts runs testdata/transcripts/*.txt: a command, a line of dashes, and what came of it: the answer, and what
// every open watch was told within a second.
//
//	go test ./playground/controlplane/apiserver -run Transcripts -rewrite
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/transcripts/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := replay(t, string(want))
			if *rewrite {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != string(want) {
				t.Errorf("%s says otherwise now (if that is right, run with -rewrite):\n%s", file, got)
			}
		})
	}
}

// replay prints a transcript with what its commands lead to now.
func replay(t *testing.T, text string) string {
	tr := &transcript{world: newWorld(t, trace.All)}
	var out strings.Builder
	skipping := false
	for _, line := range strings.SplitAfter(strings.TrimRight(text, "\n")+"\n", "\n") {
		switch {
		case strings.TrimSpace(line) == "":
			if skipping {
				out.WriteString("\n")
			}
			skipping = false
		case skipping:
		case strings.HasPrefix(line, "----"):
			out.WriteString(line)
			out.WriteString(tr.said)
			skipping = true
		default:
			out.WriteString(line)
			if !strings.HasPrefix(line, "#") {
				tr.execute(strings.Fields(line))
			}
		}
	}
	return strings.TrimRight(out.String(), "\n") + "\n"
}

type transcript struct {
	*world
	said string
}

func (tr *transcript) say(format string, args ...any) { tr.said += fmt.Sprintf(format+"\n", args...) }

func (tr *transcript) execute(words []string) {
	tr.said = ""
	if words[0] == "restart" {
		tr.s.component.Stop("restart")
		tr.s.Start(tr.k.Start("kube-apiserver"))
	} else {
		tr.client.Go("main", func(p *sim.Proc) { tr.request(p, words) })
	}
	tr.k.RunUntil(tr.k.Elapsed() + time.Second)
}

func (tr *transcript) request(p *sim.Proc, words []string) {
	option := map[string]string{}
	for _, w := range words {
		if key, value, ok := strings.Cut(w, "="); ok {
			option[key] = value
		}
	}
	name := words[1]
	switch words[0] {
	case "create":
		tr.answer(tr.s.Do(p, create(podsResource, newPod(name))))
	case "bind":
		tr.answer(tr.s.Do(p, bind(name, words[2])))
	case "delete":
		var o metav1.DeleteOptions
		if text, ok := option["grace"]; ok {
			grace, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				tr.t.Fatal(err)
			}
			o.GracePeriodSeconds = &grace
		}
		tr.answer(tr.s.Do(p, remove(podsResource, name, o)))
	case "watch":
		tr.follow(p, name, watchPods(metav1.ListOptions{FieldSelector: option["fieldSelector"], ResourceVersion: option["resourceVersion"]}))
	default:
		tr.t.Fatalf("unknown command %s", words[0])
	}
}

func (tr *transcript) answer(result client.Result, err error) {
	switch obj, ok := result.(api.Object); {
	case err != nil:
		tr.say("error: %v", err)
	case ok:
		tr.say("%s", describe(obj))
	default:
		tr.say("%s", result.(*metav1.Status).Status)
	}
}

func (tr *transcript) follow(p *sim.Proc, name string, r *client.Request) {
	stream, err := tr.s.Watch(p, r)
	if err != nil {
		tr.answer(nil, err)
		return
	}
	for {
		e, ok := stream.Next(p)
		switch {
		case !ok:
			tr.say("watch %s: ended", name)
			return
		case e.Status != nil:
			tr.say("watch %s: %s", name, say(e))
		default:
			tr.say("watch %s: %s %s", name, e.Type, describe(e.Object))
		}
	}
}

// describe is what changes in a Pod's life.
func describe(obj api.Object) string {
	s := fmt.Sprintf("%s version=%s generation=%d", obj.GetName(), obj.GetResourceVersion(), obj.GetGeneration())
	if at := obj.GetDeletionTimestamp(); at != nil {
		s += fmt.Sprintf(" deletion=+%v grace=%d", at.Sub(epoch), *obj.GetDeletionGracePeriodSeconds())
	}
	return s
}
