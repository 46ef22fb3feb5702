package conformance

import (
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
		n := len(page.Outcomes())
		if err := page.Schedule(cluster.Input{At: page.Elapsed(), Kind: cluster.Command, Args: args}); err != nil {
			t.Fatal(err)
		}
		page.RunUntil(page.Elapsed() + time.Second)
		o := page.Outcomes()[n] // without the newlines at the end
		stdout, stderr = strings.TrimRight(stdout, "\n"), strings.TrimRight(stderr, "\n")
		if o.Error == "exit status 1" { // it has printed nothing there
			o.Error, code = "", code-1
		}
		if o.Output != stdout || o.Warning+o.Error != stderr || (o.Error != "") != (code != 0) {
			t.Errorf("$ %s\nprints   %q %q\nthe real %q %q (%d)", line, o.Output, o.Warning+o.Error, stdout, stderr, code)
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
