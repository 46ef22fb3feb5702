package session_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/session"
)

// repeated is a text so many times, # being the number, with commas between.
func repeated(n int, text string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strings.ReplaceAll(text, "#", fmt.Sprint(i)))
	}
	return b.String()
}

// heavy is what somebody could give a world to take all its time or memory. Whatever is said of it, the world answers
// afterwards, and each in a moment: before there were bounds, most of these took minutes or gigabytes.
func heavy() map[string]cluster.Input {
	manifest := func(text string) cluster.Input { return cluster.Input{Kind: cluster.Apply, Manifest: []byte(text)} }
	command := func(words ...string) cluster.Input { return cluster.Input{Kind: cluster.Command, Args: words} }
	shell := func(script string) cluster.Input {
		text, _ := json.Marshal(script)
		return manifest(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"busybox:1.36","command":["sh","-c",` +
			string(text) + `]}]}}`)
	}
	set := `{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"s"},"spec":{"replicas":2000000000,"podManagementPolicy":"POLICY","serviceName":"x",` +
		`"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"nginx"}]}}}}`
	return map[string]cluster.Input{
		"many owners": manifest(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","ownerReferences":[` +
			repeated(20_000, `{"apiVersion":"v1","kind":"ConfigMap","name":"o#","uid":"x#"}`) + `]}}`),
		"many finalizers": manifest(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","finalizers":[` + repeated(60_000, `"f#"`) + `]}}`),
		"many labels":     manifest(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","labels":{` + repeated(30_000, `"l#":"v"`) + `}}}`),
		"variables that double": manifest(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"busybox:1.36","env":[` +
			`{"name":"A-","value":"0123456789"},` + repeated(60, `{"name":"A#","value":"$(A-)$(A-)$(A#)"},{"name":"A-","value":"$(A#)$(A#)"}`) + `]}]}}`),
		"an ordered set": manifest(strings.Replace(set, "POLICY", "OrderedReady", 1)),
		"a parallel set": manifest(strings.Replace(set, "POLICY", "Parallel", 1)),
		"a deployment":   command("create", "deployment", "d", "--image=nginx", "--replicas=2000000000"),
		"a large object": manifest(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"a":"` + strings.Repeat("a", 4<<20) + `"}}`),
		"a deep object": manifest(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":` +
			strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `}`),
		"a deep list":         manifest(strings.Repeat(`{"apiVersion":"v1","kind":"List","items":[`, 2000) + strings.Repeat(`]}`, 2000)),
		"jsonpath":            command("get", "cm", "-A", "-o", "jsonpath="+strings.Repeat("{range ..*}", 8)+"{.}"+strings.Repeat("{end}", 8)),
		"a go-template":       command("get", "nodes", "-o", "go-template={{range 1000000000}}{{range 1000000000}}a{{end}}{{end}}"),
		"explain":             command("explain", strings.Repeat("pods.spec.", 12_000)),
		"a long word":         command("explain", strings.Repeat("pods.spec.", 100_000)),
		"copies of copies":    command("patch", "cm", "kube-root-ca.crt", "--type=json", "-p", "["+repeated(60, `{"op":"copy","from":"","path":"/data/c#"}`)+"]"),
		"a fork bomb":         shell(`f() { f | f & }; f`),
		"a text that doubles": shell(`x=a; while true; do x=$x$x; done`),
		"files":               shell(`while true; do cat /a /a >> /b; cat /b /b >> /a; echo x >> /a; done`),
		"patterns":            shell(`x=$(seq 1 30000); while true; do case "$x" in *1*2*3*4*5*6*7*8*9*1*2*3*z) echo y;; esac; y=${x##*1*2*3*4*z}; done`),
		"YAML in a container": manifest(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"bitnami/kubectl",` +
			`"command":["sh","-c","echo : > /x; kubectl apply -f /x; sleep 100"]}]}}`),
		"every second of jobs": manifest(`{"apiVersion":"batch/v1","kind":"CronJob","metadata":{"name":"c"},"spec":{"schedule":"@every 1ns",` +
			`"jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"busybox:1.36"}]}}}}}}`),
	}
}

// TestHeavyInputs gives a world of two nodes each of them.
func TestHeavyInputs(t *testing.T) {
	for name, input := range heavy() { // order: each has a world of its own
		t.Run(name, func(t *testing.T) {
			s := small()
			s.Cluster.Controllers = append(s.Cluster.Controllers, "deployment-controller", "statefulset-controller", "cronjob-controller", "job-controller")
			b := &session.Bridge{}
			b.Call("open", packed(t, map[string]any{"scenario": s, "inputs": []any{}, "layout": "wide"}))
			now, events := int64(0), 0
			run := func(until int64) {
				for began := time.Now(); now < until; {
					at := time.Now()
					var ran struct {
						Now    int64
						Events int
						Error  string
					}
					answer := b.Call("run", fmt.Appendf(nil, `{"until":%d}`, min(until, now+100_000)))
					if err := json.Unmarshal(answer, &ran); err != nil || ran.Error != "" {
						t.Fatalf("%v %s", err, ran.Error)
					}
					now, events = ran.Now, ran.Events
					if took := time.Since(at); took > 30*time.Second {
						t.Fatalf("a tenth of a second takes %v", took)
					}
					if events > 60_000 || time.Since(began) > time.Minute {
						return // a page stops some time, too
					}
				}
			}
			give := func(in cluster.Input) string {
				in.At = time.Duration(now+1000) * time.Microsecond
				return string(b.Call("give", packed(t, map[string]any{"input": in})))
			}
			run(4_000_000)
			give(input)
			run(20_000_000)
			before := events
			if answer := give(cluster.Input{Kind: cluster.Command, Args: []string{"get", "nodes"}}); answer != "{}" {
				t.Fatal(answer)
			}
			run(now + 1_000_000)
			if answer := string(b.Call("frames", fmt.Appendf(nil, `{"from":%d}`, max(1, before-20)))); !strings.Contains(answer, "get nodes") {
				t.Errorf("the world answers no more: %d events, then %d", before, events)
			}
		})
	}
}
