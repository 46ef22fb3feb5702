package conformance

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/cluster"
)

// What the page's kubectl knows by itself, the real one asks the server for: both print the same.
func TestPagesKubectlPrintsTheSame(t *testing.T) {
	p := serve(t, cluster.DefaultConfig(), 1)
	page := cluster.New(cluster.DefaultConfig(), 1)
	defer page.Close()
	page.RunUntil(15 * time.Second)
	for _, line := range []string{
		"kubectl api-versions",
		"kubectl api-resources",
		"kubectl api-resources --verbs=list,watch -o name",
		"kubectl api-resources --namespaced=false --no-headers",
		"kubectl api-resources --api-group=authorization.k8s.io",
		"kubectl auth can-i list pods",
		"kubectl auth can-i get /logs/",
		"kubectl auth can-i delete nodes",
		"kubectl auth can-i get nosuch",
		"kubectl auth can-i list pods -q",
		"kubectl auth can-i list",
		"kubectl auth whoami",
		"kubectl get --raw /version",
		"kubectl get --raw /apis",
		"kubectl get --raw /apis/batch/v1",
		"kubectl get --raw /api/v1",
		"kubectl get --raw /apis/nosuch",
		"kubectl get --raw /nosuch",
		"kubectl get --raw /api/v1/nodes?limit=x",
		"kubectl get --raw /api/v1/namespaces/default/configmaps/nosuch",
		"kubectl get --server-print",
		"kubectl describe",
	} {
		stdout, stderr, code := p.kubectl(line, "")
		args, err := cluster.ParseCommand(line)
		if err != nil {
			t.Errorf("$ %s: %v", line, err)
			continue
		}
		o := typed(t, page, args, "") // without the newlines at the end
		stdout, stderr = strings.TrimRight(stdout, "\n"), strings.TrimRight(stderr, "\n")
		if o.Output != stdout || o.Warning+o.Error != stderr || (o.Error != "") != (code != 0) {
			t.Errorf("$ %s\nprints   %q %q\nthe real %q %q (%d)", line, o.Output, o.Warning+o.Error, stdout, stderr, code)
		}
	}
}

// typed runs a command in the page's cluster.
func typed(t *testing.T, page *cluster.Cluster, args []string, manifest string) cluster.Outcome {
	t.Helper()
	n := len(page.Outcomes())
	if err := page.Schedule(cluster.Input{At: page.Elapsed(), Kind: cluster.Command, Args: args, Manifest: []byte(manifest)}); err != nil {
		t.Fatal(err)
	}
	page.RunUntil(page.Elapsed() + time.Second)
	return page.Outcomes()[n]
}

// everyTime is what differs in two runs of diff.
var everyTime = regexp.MustCompile(`(LIVE|MERGED)-\d+|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*( \+0000)?|uid: \S+|resourceVersion: \S+`)

// diff prints the same in the page as the real one does of the same objects and manifests, which runs a real diff.
func TestPagesDiffIsTheRealOne(t *testing.T) {
	config := cluster.DefaultConfig()
	config.Controllers = []string{"namespace-controller"} // so that nothing changes by itself
	p := serve(t, config, 1)
	page := cluster.New(config, 1)
	defer page.Close()
	page.RunUntil(15 * time.Second)
	const deployment = `{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "labels": {"app": "web"}}, "spec": {"replicas": 2,
		"selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}},
		"spec": {"containers": [{"name": "web", "image": "nginx:1.27", "ports": [{"containerPort": 80}]}]}}}}`
	const secret = `{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"same": "1", "other": "2", "gone": "3"}}`
	changed := strings.NewReplacer("nginx:1.27", "nginx:1.28", `"replicas": 2,`, "", `"ports"`, `"env": [{"name": "A", "value": "b"}], "ports"`).Replace(deployment)
	differing := 0
	for _, c := range []struct{ line, manifest string }{
		{"kubectl diff -f -", deployment},
		{"kubectl apply -f -", deployment},
		{"kubectl diff -f -", deployment},
		{"kubectl diff -f -", changed},
		{"kubectl diff -f - --server-side", changed},
		{"kubectl diff -f - --server-side --force-conflicts", changed},
		{"kubectl apply -f -", changed},
		{"kubectl diff -f -", deployment},
		{"kubectl diff -f -", secret},
		{"kubectl apply -f -", secret},
		{"kubectl diff -f -", strings.NewReplacer(`"2"`, `"two"`, `, "gone": "3"`, `, "new": "4"`).Replace(secret)},
		{"kubectl diff -f - --show-secrets", strings.Replace(secret, `"2"`, `"two"`, 1)},
		{"kubectl diff -f -", `{"apiVersion": "v1", "kind": "List", "items": [` + secret + "," + deployment + `, {"apiVersion": "v1", "kind": "ConfigMap",
			"metadata": {"name": "new", "annotations": {"a": "one\ntwo\n"}}, "data": {"k": "v"}}]}`},
		{"kubectl diff -f -", strings.Replace(deployment, `"web"`, `"Web"`, 1)},
		{"kubectl diff -f -", strings.Replace(deployment, `"name": "web"`, `"name": "web", "namespace": "nosuch"`, 1)},
		{"kubectl diff -f - --force-conflicts", deployment},
		{"kubectl diff x -f -", deployment},
		{"kubectl diff", ""},
	} {
		stdout, stderr, code := p.kubectl(c.line, c.manifest)
		args, err := cluster.ParseCommand(c.line)
		if err != nil {
			t.Fatal(err)
		}
		o := typed(t, page, args, c.manifest)
		stdout, stderr = strings.TrimRight(stdout, "\n"), strings.TrimRight(stderr, "\n")
		if code == 1 && stderr == "" {
			differing++
			stderr = "exit status 1" // as an outcome has it
		}
		same := func(text string) string { return everyTime.ReplaceAllString(text, "…") }
		if same(o.Output) != same(stdout) || same(o.Warning+o.Error) != same(stderr) || (o.Error != "") != (code != 0) {
			t.Errorf("$ %s < %s\nprints   %s\n%s\nthe real %s\n%s (%d)", c.line, c.manifest, o.Output, o.Warning+o.Error, stdout, stderr, code)
		}
	}
	if differing < 7 {
		t.Errorf("only %d commands found a difference", differing)
	}
}

// get --watch prints the same in the page as the real one does, while the same things are done.
func TestPagesWatchIsTheRealOne(t *testing.T) {
	config := cluster.DefaultConfig()
	config.Controllers = []string{"namespace-controller"} // so that nothing changes by itself
	p := serve(t, config, 1)
	page := cluster.New(config, 1)
	defer page.Close()
	page.RunUntil(15 * time.Second)
	begin := []string{"kubectl create configmap one --from-literal=a=b", "kubectl create configmap three --from-literal=a=b"}
	changes := []string{"kubectl label configmap one tier=db", "kubectl create configmap two-which-is-longer --from-literal=a=b", "kubectl delete configmap one three",
		"kubectl label configmap two-which-is-longer tier=web"}
	end := "kubectl delete configmap two-which-is-longer"
	lines := []string{
		"kubectl get cm -w",
		"kubectl get cm one -w",
		"kubectl get cm -w -A --show-labels",
		"kubectl get cm -l tier -w",
		"kubectl get cm --watch-only -L tier",
		"kubectl get cm one --watch-only",
		"kubectl get cm -w --output-watch-events",
		"kubectl get cm -w --no-headers --output-watch-events",
		"kubectl get cm -w -o name",
		"kubectl get cm -w -o yaml",
		"kubectl get cm -w -o kyaml --output-watch-events",
		"kubectl get cm one -w -o json --output-watch-events",
		"kubectl get cm -w -o custom-columns=N:.metadata.name,T:.metadata.labels.tier",
		"kubectl get cm -w -o jsonpath={.metadata.name},",
		"kubectl get cm -w --sort-by=.metadata.name",
		"kubectl get cm one -w -o wide --show-kind",
	}
	for _, line := range begin {
		p.kubectl(line, "")
	}
	type printed struct{ out, errors string }
	real := make([]chan printed, len(lines))
	for n, line := range lines {
		real[n] = make(chan printed)
		go func() {
			stdout, stderr, _ := p.kubectl(line+" --request-timeout=12s", "")
			real[n] <- printed{stdout, stderr}
		}()
	}
	time.Sleep(6 * time.Second) // by then, all of them watch
	for _, line := range changes {
		p.kubectl(line, "")
	}
	run := func(line string) cluster.Outcome {
		args, err := cluster.ParseCommand(line)
		if err != nil {
			t.Fatal(err)
		}
		return typed(t, page, args, "")
	}
	times := regexp.MustCompile(`\b\d+[ms]\w*`)
	for n, line := range lines {
		for _, b := range begin {
			run(b)
		}
		at := len(page.Outcomes())
		run(line)
		// Not in the terminal, where the watch would end.
		for _, in := range []cluster.Input{
			{Kind: cluster.Patch, Resource: "configmaps", Namespace: "default", Name: "one", Manifest: []byte(`{"metadata":{"labels":{"tier":"db"}}}`)},
			{Kind: cluster.Create, Manifest: []byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"two-which-is-longer"},"data":{"a":"b"}}`)},
			{Kind: cluster.Delete, Resource: "configmaps", Namespace: "default", Name: "one"},
			{Kind: cluster.Delete, Resource: "configmaps", Namespace: "default", Name: "three"},
			{Kind: cluster.Patch, Resource: "configmaps", Namespace: "default", Name: "two-which-is-longer", Manifest: []byte(`{"metadata":{"labels":{"tier":"web"}}}`)},
		} {
			in.At = page.Elapsed()
			if err := page.Schedule(in); err != nil {
				t.Fatal(err)
			}
			page.RunUntil(page.Elapsed() + time.Second)
		}
		o := page.Outcomes()[at]
		run(end)
		same := func(text string) string {
			return times.ReplaceAllString(everyTime.ReplaceAllString(strings.TrimRight(text, "\n"), "…"), "#")
		}
		want := <-real[n]
		if same(o.Output) != same(want.out) || same(o.Warning+o.Error) != same(want.errors) {
			t.Errorf("$ %s\nprints\n%s\n%s\nthe real one\n%s\n%s", line, same(o.Output), o.Warning+o.Error, same(want.out), want.errors)
		}
	}
}

// explain prints the same fields, with the same types, in the page as the real one does, of every built-in kind.
func TestPagesExplainIsTheRealOne(t *testing.T) {
	config := cluster.DefaultConfig()
	config.Controllers = []string{"namespace-controller"}
	p := serve(t, config, 1)
	page := cluster.New(config, 1)
	defer page.Close()
	page.RunUntil(15 * time.Second)
	kinds, _, _ := p.kubectl("kubectl api-resources -o name --verbs=list", "")
	lines := []string{"kubectl explain pod.spec.containers", "kubectl explain deploy.spec.replicas", "kubectl explain pods.spec.nosuch", "kubectl explain pod.metadata.labels"}
	for _, name := range strings.Fields(kinds) {
		if strings.Count(name, ".") > 1 && strings.HasPrefix(name, "events.") {
			continue // the real one takes it for fields of events in v1
		}
		lines = append(lines, "kubectl explain --recursive "+name)
	}
	for _, line := range lines {
		stdout, stderr, _ := p.kubectl(line, "")
		args, err := cluster.ParseCommand(line)
		if err != nil {
			t.Fatal(err)
		}
		o := typed(t, page, args, "")
		stdout = enums.ReplaceAllString(stdout, "")
		out := strings.Replace(o.Output, "<here, built-in kinds have no descriptions and no enums>", "<empty>", 1)
		if stdout = strings.TrimRight(stdout, "\n"); stdout != strings.TrimRight(out, "\n") || strings.TrimRight(stderr, "\n") != o.Warning+o.Error {
			t.Errorf("$ %s\nprints\n%s%s\nthe real one\n%s%s", line, out, o.Warning+o.Error, stdout, stderr)
		}
	}
}

// enums are the lines of explain that say which values a field may have.
var enums = regexp.MustCompile(`(?m)^ *enum: .*\n|^ENUM:\n(    .*\n)*`)
