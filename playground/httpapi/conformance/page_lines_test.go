package conformance

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/cluster"
)

// described are objects of the kinds that few describe.
var described = `{"apiVersion": "v1", "kind": "List", "items": [
{"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"name": "ing", "annotations": {"a.b/c": "d"}},
	"spec": {"ingressClassName": "nginx",
	"tls": [{"hosts": ["a.com"], "secretName": "t"}, {"hosts": ["b.com"]}], "rules": [{"host": "a.com", "http": {"paths": [
	{"path": "/", "pathType": "Prefix", "backend": {"service": {"name": "kubernetes", "port": {"name": "https"}}}},
	{"path": "/x", "pathType": "Exact", "backend": {"service": {"name": "nosuch", "port": {"number": 1}}}}]}}]}},
{"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"name": "plain"}, "spec": {
	"defaultBackend": {"resource": {"apiGroup": "a.b", "kind": "Bucket", "name": "x"}}}},
{"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": "np"},
	"spec": {"podSelector": {"matchLabels": {"app": "web"}},
	"policyTypes": ["Ingress", "Egress"], "ingress": [{"from": [{"podSelector": {"matchLabels": {"a": "b"}}, "namespaceSelector": {}},
	{"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.1.0.0/16"]}}], "ports": [{"port": 80}, {"port": 90, "endPort": 99, "protocol": "UDP"}]},
	{}], "egress": [{}]}},
{"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": "deny"}, "spec": {"podSelector": {},
	"policyTypes": ["Ingress"]}},
{"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "pv1"}, "spec": {"capacity": {"storage": "5Gi"},
	"accessModes": ["ReadWriteOnce", "ReadOnlyMany"],
	"storageClassName": "manual", "persistentVolumeReclaimPolicy": "Retain", "hostPath": {"path": "/data"},
	"nodeAffinity": {"required": {"nodeSelectorTerms": [
	{"matchExpressions": [{"key": "a", "operator": "In", "values": ["b", "c"]}, {"key": "d", "operator": "Exists"}]}]}}}},
{"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "pv2"}, "spec": {"capacity": {"storage": "5Gi"},
	"accessModes": ["ReadWriteMany"],
	"nfs": {"server": "s", "path": "/p"}}},
{"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "slow"}, "provisioner": "x.y/z", "parameters": {"a": "b"},
	"mountOptions": ["ro"],
	"allowVolumeExpansion": true, "volumeBindingMode": "WaitForFirstConsumer",
	"allowedTopologies": [{"matchLabelExpressions": [{"key": "zone", "values": ["a", "b"]}]}]},
{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot"}, "imagePullSecrets": [{"name": "one"}, {"name": "two"}]},
{"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "limits"}, "spec": {"limits": [{"type": "Container", "default": {"cpu": "200m"},
	"defaultRequest": {"cpu": "5m"}, "max": {"cpu": "1"}}]}},
{"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "metadata": {"name": "es"}, "addressType": "IPv4",
	"endpoints": [{"addresses": ["1.2.3.4"],
	"conditions": {"ready": true}, "targetRef": {"kind": "Pod", "name": "x", "namespace": "default"}, "nodeName": "node-1"},
	{"addresses": ["1.2.3.5"]}],
	"ports": [{"name": "http", "port": 80, "protocol": "TCP"}]},
{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "lb"}, "spec": {"type": "LoadBalancer", "clusterIP": "10.96.7.7",
	"externalTrafficPolicy": "Local",
	"healthCheckNodePort": 32000, "loadBalancerSourceRanges": ["10.0.0.0/8"], "ports": [{"port": 80, "nodePort": 30081}]}},
{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "conf", "annotations": {"long": "` + longAnnotation + `"}}, "data": {"a": "b"}},
{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": {
	"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "web", "image": "nginx",
	"resources": {"limits": {"cpu": "1500m"}}, "env": [
	{"name": "CPU", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}}, {"name": "MEMORY",
	"valueFrom": {"resourceFieldRef": {"resource": "limits.memory"}}},
	{"name": "ASKED", "valueFrom": {"resourceFieldRef": {"resource": "requests.cpu"}}}]}]}}}}]}`

// creation is a line of describe that differs from run to run, and what is said of a version.
var creation = regexp.MustCompile(`(?m)CreationTimestamp:.*|was \d+$`)

// bothAtRest are a port, for the real kubectl, and a page's cluster, each with the same objects, in which nothing changes by itself.
func bothAtRest(t *testing.T) (*port, *cluster.Cluster) {
	t.Helper()
	config := cluster.DefaultConfig()
	config.Controllers = []string{"namespace-controller"}
	p, page := serve(t, config, 1), cluster.New(config, 1)
	t.Cleanup(page.Close)
	page.RunUntil(15 * time.Second)
	return p, page
}

// logged is how a line begins that klog has written of a failure or a warning.
var logged = regexp.MustCompile(`\b([FW])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ `)

var longAnnotation = strings.Repeat("0123456789", 15)

// What readers type of several objects at once, of templates and of kinds that are described rarely.
func TestPagesLinesAreTheRealOnes(t *testing.T) {
	p, page := bothAtRest(t)
	for _, c := range []struct{ line, manifest string }{
		{"kubectl create -f -", described},
		{line: "kubectl describe ing"},
		{line: "kubectl describe netpol np"},
		{line: "kubectl describe networkpolicy deny"},
		{line: "kubectl describe pv/pv1 pv/pv2"},
		{line: "kubectl describe sc slow"},
		{line: "kubectl describe sa robot"},
		{line: "kubectl describe limits"},
		{line: "kubectl describe endpointslice es"},
		{line: "kubectl describe ep kubernetes"},
		{line: "kubectl describe svc lb"},
		{line: "kubectl describe cm conf"},
		{line: "kubectl describe cm con"},
		{line: "kubectl describe deploy web"},
		{line: "kubectl describe cm nosuch other"},
		{line: "kubectl describe sc slow nosuch"},
		{line: "kubectl get nosuch.apps"},
		{line: "kubectl get deployments.v1beta1.apps"},
		{line: "kubectl get cm/nosuch sc/slow -o name"},
		{line: "kubectl get sc slow -A -o name"},
		{line: "kubectl get cm conf -A"},
		{line: "kubectl get svc --subresource=status"},
		{line: "kubectl get nodes --sort-by=.nosuch"},
		{line: "kubectl get cm --sort-by={.metadata.name -o name"},
		{line: "kubectl get --raw api/v1"},
		{line: "kubectl get pods -o jsonpath={.items[0].metadata.name}"},
		{line: "kubectl get pods -o jsonpath={.items[0:2].metadata.name}"},
		{line: "kubectl get pods -o jsonpath={.kind[0]}"},
		{line: "kubectl get pods -o jsonpath={end}"},
		{line: "kubectl get pods -o jsonpath-as-json={.items[0]}"},
		{line: "kubectl get pv -o 'jsonpath={range .items[*]}{.metadata.name}'"},
		{line: "kubectl get pv -o \"jsonpath={.items[*]['metadata.name','spec.capacity.storage']}\""},
		{line: "kubectl get pv pv1 -o jsonpath={.metadata.managedFields[*].operation}"},
		{line: "kubectl annotate sc slow a=b"},
		{line: "kubectl annotate sc slow a=b"},
		{line: "kubectl annotate sc slow a=c"},
		{line: "kubectl explain nosuch"},
		{line: "kubectl cordon"},
		{line: "kubectl drain"},
		{line: "kubectl cordon node-1 -l a=b"},
		{line: "kubectl rollout history deploy"},
		{line: "kubectl rollout restart deploy"},
		{line: "kubectl rollout restart deploy -l app=nosuch"},
		{line: "kubectl rollout status ds -l app=nosuch"},
		{line: "kubectl set resources deploy/web --limits=cpu=1 --requests=cpu=2"},
		{"kubectl apply --prune -f -", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"p","labels":{"g":"h"}}}`},
		{"kubectl apply --prune --all --force -f -", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"p","labels":{"g":"h"}}}`},
		{"kubectl apply --all -l a=b -f -", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"p","labels":{"g":"h"}}}`},
		{"kubectl apply --all -f -", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"p","labels":{"g":"h"}}}`},
		{"kubectl apply --prune -l g=h -f -", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"q","labels":{"g":"h"}}}`},
		{"kubectl apply --prune -l g=h --dry-run=client -f -", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"r","labels":{"g":"h"}}}`},
		{"kubectl apply --prune -l g=h --dry-run=server -f -", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"r","labels":{"g":"h"}}}`},
		{"kubectl apply --prune --all --prune-allowlist=core/v1/Secret -f -", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"r","labels":{"g":"h"}}}`},
		{"kubectl apply --prune --all --prune-allowlist=core/v1/Foo -f -", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x","labels":{"g":"h"}}}`},
		{"kubectl apply --prune --all --prune-allowlist=Foo -f -", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x","labels":{"g":"h"}}}`},
		{"kubectl apply --prune --all --prune-allowlist=core/v1/ConfigMap -o name -f -", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"s","labels":{"g":"h"}}}`},
		{"kubectl apply --prune --all --server-side -f -", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"s","labels":{"g":"h"}}}`},
		{line: "kubectl get cm -o name"},
		{"kubectl create --raw /api/v1/namespaces/default/configmaps -f -", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"s","labels":{"g":"h"}}}`},
		{"kubectl create --raw /api/v1/namespaces/default/configmaps -f - -o name", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"s","labels":{"g":"h"}}}`},
		{"kubectl create --raw x -f -", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"s","labels":{"g":"h"}}}`},
		{line: "kubectl delete --raw /api/v1/namespaces/default/configmaps/nosuch"},
		{line: "kubectl delete --raw /api/v1/namespaces/default/nosuch/x"},
		{line: "kubectl delete --raw /nosuch"},
		{line: "kubectl delete --raw nosuch"},
		{line: "kubectl delete --raw /api/v1/namespaces/default/configmaps/s -o name"},
		{line: "kubectl delete --raw /api/v1/namespaces/default/configmaps/s"},
		{line: "kubectl create --raw /api/v1/namespaces/default/configmaps"},
		{line: "kubectl replace --raw /api/v1/namespaces/default/configmaps/t"},
		{line: "kubectl get --raw /api/v1/pods/x"},
		{line: "kubectl get --raw /apis/authentication.k8s.io/v1/tokenreviews"},
		{line: "kubectl get nodes --sort-by=.metadata.labels"},
		{line: "kubectl get nodes --sort-by=.metadata.labels -o name"},
		{line: "kubectl get nodes --sort-by=.status.addresses[9].address -o name"},
		{line: "kubectl get nodes -o custom-columns=A:.status.addresses[9].address"},
		{line: "kubectl get nodes -o 'jsonpath={.items[?(@.metadata.name=~\"node.*\")].metadata.name}'"},
		{line: "kubectl get nodes -o 'jsonpath={.items[?(@.kind==\"a\"||@.kind==\"b\")].metadata.name}'"},
		{line: "kubectl get nodes -o 'jsonpath={.items['"},
		{line: "kubectl get nodes -o 'jsonpath={\"x}'"},
		{line: "kubectl get pods -o jsonpath={kind}"},
		{line: "kubectl get pods -o jsonpath={.items[::0]}"},
		{line: "kubectl get pods -o 'jsonpath={.kind bar}'"},
		{line: "kubectl get pods -o jsonpath={}"},
		{line: "kubectl get nodes -o \"jsonpath={.items[*]['metadata.name']}\""},
		{line: "kubectl get nodes -o 'jsonpath={.items[*][\"metadata.name\"]}'"},
		{line: "kubectl cluster-info dump --namespaces=nosuch -o jsonpath={.kind}"},
		{line: "kubectl cluster-info dump -o name"},
		{line: "kubectl api-resources -o json"},
		{line: "kubectl api-resources -o yaml"},
		{line: "kubectl api-resources --api-group=nosuch -o json"},
		{line: "kubectl api-resources -o kyaml --api-group=apps"},
		{line: "kubectl api-resources --cached --categories=all"},
		{line: "kubectl label sc slow a=c --resource-version=1"},
		{line: "kubectl label sc slow nosuch a=c --resource-version=1"},
		{line: "kubectl label sc --all a=c --resource-version=1"},
		{line: "kubectl annotate sc slow a=d --resource-version=1"},
		{line: "kubectl annotate sc --all a=d --resource-version=1"},
		{line: "kubectl scale deploy web --replicas=2 --resource-version=x"},
		{line: "kubectl logs deploy/web --all-pods"},
		{line: "kubectl logs deploy/nosuch --all-pods"},
		{line: "kubectl logs --all-pods"},
	} {
		stdout, stderr, code := p.kubectl(c.line, c.manifest)
		args, err := cluster.ParseCommand(c.line)
		if err != nil {
			t.Fatal(err)
		}
		o := typed(t, page, args, c.manifest)
		same := func(text string) string {
			text = logged.ReplaceAllString(creation.ReplaceAllString(text, "…"), "$1")
			return everyTime.ReplaceAllString(strings.TrimRight(portAddress.ReplaceAllString(text, pageAddress), "\n"), "…")
		}
		if same(o.Output) != same(stdout) || same(o.Warning+o.Error) != same(stderr) || (o.Error != "") != (code != 0) {
			t.Errorf("$ %s\nprints\n%s\n%s\nthe real one\n%s\n%s (%d)", c.line, same(o.Output), same(o.Warning+o.Error), same(stdout), same(stderr), code)
		}
	}
}
