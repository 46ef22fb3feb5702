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
	compareKubectl(t, cluster.DefaultConfig(), []string{
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
		"kubectl config view",
		"kubectl config view -o json",
		"kubectl config view --minify -o jsonpath={.clusters[0].cluster.server}",
		"kubectl config current-context",
		"kubectl config get-contexts",
		"kubectl config get-contexts --no-headers",
		"kubectl config get-contexts -o name kubewalk",
		"kubectl config get-contexts nosuch",
		"kubectl config get-contexts nosuch kubewalk",
		"kubectl config get-contexts nosuch -o name",
		"kubectl config view -o yaml",
		"kubectl logs nosuch",
		"kubectl logs nosuch -n kube-system -f",
		"kubectl logs -l app=nosuch",
		"kubectl attach nosuch",
		"kubectl attach",
		"kubectl attach a b c",
		"kubectl exec nosuch -- ls",
		"kubectl cp a b",
		"kubectl cp a:/x b:/y",
		"kubectl cp a",
		"kubectl cp a: b",
		"kubectl cp :a b",
		"kubectl cp nosuch:/x y",
		"kubectl cp nosuch:/x y --retries=3",
		"kubectl completion",
		"kubectl completion bash zsh",
		"kubectl completion tcsh",
		"kubectl __complete",
		"kubectl __completeNoDesc completion z",
		"kubectl __completeNoDesc rollout re",
		"kubectl __completeNoDesc create se",
		"kubectl __completeNoDesc get --show-l",
		"kubectl __completeNoDesc delete cm kube",
		"kubectl __completeNoDesc describe ns kube-s",
		"kubectl __completeNoDesc get cm -n kube-s",
		"kubectl __completeNoDesc get configmap/kube-r",
		"kubectl __completeNoDesc apply edit-last-applied ns/def",
		"kubectl __completeNoDesc get nosuch ''",
		"kubectl __completeNoDesc create secret tls a --cert=",
		"kubectl __completeNoDesc create secret tls a --ke",
		"kubectl create secret generic twice --from-literal=a=b",
		"kubectl create secret generic twice --from-literal=a=b",
		"kubectl cp nosuch a:/x",
		"kubectl port-forward nosuch 8080:80",
		"kubectl port-forward service/kubernetes 8080:81",
		"kubectl events --types=Strange",
		"kubectl events --for=pod",
		"kubectl events -n nosuch",
		"kubectl cluster-info",
		"kubectl config get-clusters",
		"kubectl config get-users",
	})
}

// Changes of the kubeconfig, and what the next command makes of them. (Of a user that the server does not know, the real one asks
// for a name and a password.)
func TestPagesKubeconfigIsTheRealOne(t *testing.T) {
	compareKubectl(t, cluster.DefaultConfig(), []string{
		"kubectl config set-context --current --namespace=kube-system",
		"kubectl get networkpolicies",
		"kubectl get networkpolicies -n default",
		"kubectl config view",
		"kubectl config view --minify -o jsonpath={..namespace}",
		"kubectl config set-context dev --cluster=kubewalk --user=kubewalk --namespace=dev",
		"kubectl config get-contexts",
		"kubectl config use-context dev",
		"kubectl get networkpolicies",
		"kubectl config current-context",
		"kubectl get networkpolicies --context=kubewalk",
		"kubectl get networkpolicies --context=nosuch",
		"kubectl config use-context nosuch",
		"kubectl config rename-context dev test",
		"kubectl config rename-context dev test",
		"kubectl config rename-context test kubewalk",
		"kubectl config get-contexts -o name",
		"kubectl config get-contexts test --no-headers",
		"kubectl config set-cluster other --server=https://10.9.9.9:6443/ --insecure-skip-tls-verify",
		"kubectl config set-cluster third --server=https://10.9.9.8:6443 --tls-server-name=k --proxy-url=http://p",
		"kubectl config set-credentials ann --token=abc",
		"kubectl config set-credentials bob --username=bob --password=secret",
		"kubectl config set-credentials bob --username=bob --token=abc",
		"kubectl config set-context",
		"kubectl config set-context a --current",
		"kubectl config view",
		"kubectl config view -o json",
		"kubectl config set contexts.test.namespace prod",
		"kubectl config set clusters.a.b.c.server https://a.b.c",
		"kubectl config set clusters.a.b.c.insecure-skip-tls-verify maybe",
		"kubectl config set clusters.a.b.c.certificate-authority-data !!!",
		"kubectl config set clusters.a.b.c.certificate-authority-data raw --set-raw-bytes",
		"kubectl config set users.carl.client-key-data Y2FybA==",
		"kubectl config set nosuch.x y",
		"kubectl config set current-context.x y",
		"kubectl config view -o json",
		"kubectl config unset contexts.test.namespace",
		"kubectl config unset users.carl",
		"kubectl config unset users.nosuch.token",
		"kubectl config view --minify",
		"kubectl config delete-cluster other",
		"kubectl config delete-cluster other",
		"kubectl config delete-user ann",
		"kubectl config delete-user nosuch",
		"kubectl config delete-user",
		"kubectl config delete-context test",
		"kubectl config delete-context nosuch",
		"kubectl get nodes",
		"kubectl config view --minify",
		"kubectl config use-context kubewalk",
		"kubectl config unset current-context",
		"kubectl config current-context",
		"kubectl config set-context --current --namespace=x",
		"kubectl config set current-context kubewalk",
		"kubectl config set-credentials stranger --token=abc",
		"kubectl config set-context strange --cluster=kubewalk --user=stranger",
		"kubectl get networkpolicies --context=strange",
	})
}

// The same where the API server asks who may do what.
func TestPagesKubectlPrintsTheSameWithRoles(t *testing.T) {
	config := cluster.DefaultConfig()
	config.Authorization = cluster.RBAC
	const robot, ann = " --as system:serviceaccount:default:robot", " --as ann --as-group developers"
	compareKubectl(t, config, []string{
		"kubectl auth whoami",
		"kubectl auth whoami" + robot,
		"kubectl auth whoami" + ann,
		"kubectl auth whoami --as ann --as-uid 7 --as-user-extra team=red --as-user-extra team=blue",
		"kubectl auth whoami --as system:anonymous",
		"kubectl get pods" + robot,
		"kubectl get pods -A" + robot,
		"kubectl get pod x" + robot,
		"kubectl get nodes" + ann,
		"kubectl get namespace default" + ann,
		"kubectl create deployment web --image=nginx" + ann,
		"kubectl delete configmap kube-root-ca.crt" + ann,
		"kubectl get --raw /api/v1/nodes" + ann,
		"kubectl auth can-i list pods" + robot,
		"kubectl auth can-i --list" + robot,
		"kubectl auth can-i --list --no-headers" + ann,
		"kubectl auth can-i --list x",
		"kubectl auth can-i list pods --no-headers",
		"kubectl auth can-i frobnicate deployments.apps" + ann,
		"kubectl auth can-i impersonate users" + ann,
		"kubectl auth can-i get /healthz" + ann,
		"kubectl auth can-i list /metrics" + ann,
		"kubectl create role pod-reader --verb=get,list,watch --resource=pods,pods/log",
		"kubectl create role pod-reader --verb=get --resource=pods",
		"kubectl create role deployer --verb=create,delete --resource=deployments.apps,rs,pods --resource-name=a --resource-name=b -o yaml --dry-run=client",
		"kubectl create role x --verb=frobnicate --resource=pods --dry-run=client",
		"kubectl create role x --verb=get --resource=nosuch",
		"kubectl create role x --verb=get --resource=nosuch.apps",
		"kubectl create role x --verb=bind --resource=pods",
		"kubectl create role x --verb=impersonate --resource=users --dry-run=client",
		"kubectl create role x --verb=get",
		"kubectl create role x --resource=pods",
		"kubectl create role",
		"kubectl create clusterrole logs --verb=get --non-resource-url=/logs/*",
		"kubectl create clusterrole bad --verb=list --non-resource-url=/logs/*",
		"kubectl create clusterrole bad --verb=get --non-resource-url=logs",
		"kubectl create clusterrole bad --verb=get",
		"kubectl create clusterrole sum --aggregation-rule=a=b -o yaml --dry-run=client",
		"kubectl create clusterrole sum --aggregation-rule=a=b --verb=get",
		"kubectl create rolebinding readers --role=pod-reader --serviceaccount=default:robot",
		"kubectl create rolebinding readers --role=pod-reader",
		"kubectl create rolebinding bad",
		"kubectl create rolebinding bad --role=x --serviceaccount=robot",
		"kubectl create clusterrolebinding logs --clusterrole=logs --user=ann --group=g -o name",
		"kubectl create rolebinding bob --clusterrole=admin --user=bob",
		"kubectl get pods" + robot,
		"kubectl get pods -n kube-system" + robot,
		"kubectl auth can-i --list" + robot,
		"kubectl auth can-i get pods --subresource=log" + robot,
		"kubectl auth can-i list nodes" + robot,
		"kubectl describe role pod-reader",
		"kubectl describe rolebinding readers",
		"kubectl describe clusterrole view",
		"kubectl describe clusterrole system:discovery",
		"kubectl describe clusterrolebinding cluster-admin",
		"kubectl create role y --verb=get --resource=nodes --as bob",
		"kubectl create role y --verb=get --resource=pods --as bob",
		"kubectl create rolebinding me --clusterrole=cluster-admin --user=bob --as bob",
		"kubectl create clusterrolebinding me --clusterrole=cluster-admin --user=bob --as bob",
		"kubectl delete rolebinding readers",
		"kubectl get pods" + robot,
		"kubectl get pods --as ann --as-group system:masters",
	})
}

// compareKubectl runs lines in the page's kubectl and in the real one, each in a cluster of its own.
func compareKubectl(t *testing.T, config cluster.Config, lines []string) {
	t.Helper()
	p := serve(t, config, 1)
	page := cluster.New(config, 1)
	defer page.Close()
	page.RunUntil(15 * time.Second)
	for _, line := range lines {
		stdout, stderr, code := p.kubectl(line, "")
		args, err := cluster.ParseCommand(line)
		if err != nil {
			t.Errorf("$ %s: %v", line, err)
			continue
		}
		o := typed(t, page, args, "") // without the newlines at the end
		stdout, stderr = strings.TrimRight(portAddress.ReplaceAllString(stdout, pageAddress), "\n"), strings.TrimRight(stderr, "\n")
		stdout, stderr = kubeconfigFile.ReplaceAllString(stdout, pageKubeconfig), kubeconfigFile.ReplaceAllString(stderr, pageKubeconfig)
		if o.Error == "exit status 1" { // it has printed nothing there
			o.Error, code = "", code-1
		}
		if o.Output != stdout || o.Warning+o.Error != stderr || (o.Error != "") != (code != 0) {
			t.Errorf("$ %s\nprints   %q %q\nthe real %q %q (%d)", line, o.Output, o.Warning+o.Error, stdout, stderr, code)
		}
	}
}

// portAddress is where a server is in a test, and pageAddress where it is in a page.
var portAddress = regexp.MustCompile(`https://127\.0\.0\.1:\d+`)

const pageAddress = "https://10.0.0.1:6443"

// kubeconfigFile is where the kubeconfig is in a test, and pageKubeconfig where it is in a page.
var kubeconfigFile = regexp.MustCompile(`/\S+/kubeconfig`)

const pageKubeconfig = "/home/user/.kube/config"

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
	p, page := bothAtRest(t)
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
	p, page := bothAtRest(t)
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
		"kubectl get cm -w -o kyaml", // with --output-watch-events the real one shows managed fields, which watches in the page have not
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

// explain prints in the page what the real one does, of every built-in kind.
func TestPagesExplainIsTheRealOne(t *testing.T) {
	config := cluster.DefaultConfig()
	config.Controllers = []string{"namespace-controller"}
	p := serve(t, config, 1)
	page := cluster.New(config, 1)
	defer page.Close()
	page.RunUntil(15 * time.Second)
	kinds, _, _ := p.kubectl("kubectl api-resources -o name --verbs=list", "")
	lines := []string{"kubectl explain pod.spec.containers", "kubectl explain deploy.spec.replicas", "kubectl explain pods.spec.nosuch", "kubectl explain pod.metadata.labels",
		"kubectl explain pod.spec.containers.resources.limits", "kubectl explain pod.status.conditions.type", "kubectl explain svc.spec.ports.protocol",
		"kubectl explain pod.spec.containers.lifecycle.stopSignal", "kubectl explain crd.spec.versions.schema.openAPIV3Schema.properties"}
	for _, name := range strings.Fields(kinds) {
		if strings.Count(name, ".") > 1 && strings.HasPrefix(name, "events.") {
			continue // the real one takes it for fields of events in v1
		}
		lines = append(lines, "kubectl explain --recursive "+name, "kubectl explain "+name, "kubectl explain "+name+".metadata", "kubectl explain "+name+".spec")
	}
	for _, line := range lines {
		stdout, stderr, _ := p.kubectl(line, "")
		args, err := cluster.ParseCommand(line)
		if err != nil {
			t.Fatal(err)
		}
		o := typed(t, page, args, "")
		if stdout = strings.TrimRight(stdout, "\n"); stdout != strings.TrimRight(o.Output, "\n") || strings.TrimRight(stderr, "\n") != o.Warning+o.Error {
			t.Errorf("$ %s\nprints\n%s%s\nthe real one\n%s%s", line, o.Output, o.Warning+o.Error, stdout, stderr)
		}
	}
}

// Whoever acts as somebody else may do what that one may, in every way that leads to a Pod; and only who may act as him is let.
func TestWhoActsAsSomebodyElse(t *testing.T) {
	config := cluster.DefaultConfig()
	config.Authorization = cluster.RBAC
	p := serve(t, config, 1)
	const as = " --as system:serviceaccount:default:robot"
	for _, c := range []struct {
		line, stdin string
		want, err   string // part of what it prints
	}{
		{line: "kubectl run web --image=nginx", want: "pod/web created"},
		{line: "kubectl wait pod web --for=condition=Ready --timeout=60s", want: "condition met"},
		{line: "kubectl logs web" + as, err: `cannot get resource "pods" in API group "" in the namespace "default"`},
		{line: "kubectl exec web" + as + " -- true", err: `cannot get resource "pods" in API group "" in the namespace "default"`},
		{line: "kubectl get --raw /metrics" + as, err: `User "system:serviceaccount:default:robot" cannot get path "/metrics"`},
		{line: "kubectl get --raw /healthz" + as, want: "ok"},
		{line: "kubectl create rolebinding viewer --clusterrole=view --serviceaccount=default:robot", want: "created"},
		{line: "kubectl get pods -o name" + as, want: "pod/web"},
		{line: "kubectl logs web" + as, want: ""},
		{line: "kubectl exec web" + as + " -- true", err: `cannot create resource "pods/exec" in API group "" in the namespace "default"`},
		{line: "kubectl attach web" + as, err: `cannot create resource "pods/attach" in API group "" in the namespace "default"`},
		{line: "kubectl port-forward web 18080:80" + as, err: `cannot create resource "pods/portforward" in API group "" in the namespace "default"`},
		{line: "kubectl get secrets" + as, err: `secrets is forbidden: User "system:serviceaccount:default:robot" cannot list resource "secrets"`},
		{line: "kubectl apply -f -" + as, stdin: "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}",
			err: `cannot create resource "configmaps"`},
		{line: "kubectl get pods --as nobody", err: `User "nobody" cannot list resource "pods" in API group "" in the namespace "default"`},
	} {
		stdout, stderr, code := p.kubectl(c.line, c.stdin)
		if !strings.Contains(stdout, c.want) || !strings.Contains(stderr, c.err) || (c.err != "") != (code != 0) {
			t.Errorf("$ %s\nprints %q %q (%d)\nwant   %q %q", c.line, stdout, stderr, code, c.want, c.err)
		}
	}
}
