package conformance

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/cluster"
)

// manyKinds are objects of which commands are asked what only some kinds can do.
const manyKinds = `{"apiVersion": "v1", "kind": "List", "items": [
{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "labels": {"app": "web"}}, "spec": {"replicas": 2,
	"selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [
	{"name": "web", "image": "nginx:1.27"}, {"name": "side", "image": "busybox", "args": ["sleep", "1d"]}],
	"initContainers": [{"name": "first", "image": "busybox"}]}}}},
{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "api", "labels": {"app": "api"}}, "spec": {"replicas": 1,
	"selector": {"matchLabels": {"app": "api"}}, "template": {"metadata": {"labels": {"app": "api"}}, "spec": {"containers": [
	{"name": "api", "image": "nginx:1.27"}]}}}},
{"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db"}, "spec": {"serviceName": "db",
	"selector": {"matchLabels": {"app": "db"}}, "template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [
	{"name": "db", "image": "redis:7"}]}}}},
{"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "agent"}, "spec": {
	"selector": {"matchLabels": {"app": "agent"}}, "template": {"metadata": {"labels": {"app": "agent"}}, "spec": {"containers": [
	{"name": "agent", "image": "busybox", "args": ["sleep", "1d"]}]}}}},
{"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "rs1"}, "spec": {
	"selector": {"matchLabels": {"app": "rs1"}}, "template": {"metadata": {"labels": {"app": "rs1"}}, "spec": {"containers": [
	{"name": "a", "image": "nginx"}]}}}},
{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "job1"}, "spec": {"template": {"spec": {"restartPolicy": "Never",
	"containers": [{"name": "a", "image": "busybox"}]}}}},
{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p1", "labels": {"a": "b"}}, "spec": {"containers": [
	{"name": "a", "image": "nginx", "env": [{"name": "NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
	{"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}]}, {"name": "b", "image": "redis"}],
	"initContainers": [{"name": "i", "image": "busybox"}]}},
{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p2"}, "spec": {"nodeName": "node-1", "containers": [{"name": "a", "image": "nginx"}],
	"volumes": [{"name": "e", "emptyDir": {}}]}},
{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "big"}, "spec": {"containers": [{"name": "a", "image": "nginx",
	"resources": {"requests": {"cpu": "100"}}}]}},
{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "cm1"}, "data": {"a": "b"}},
{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "cm2"}, "data": {"a": "b"}},
{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "nosel"}, "spec": {"ports": [{"port": 80}]}},
{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "crons.stable.example.com"}, "spec": {
	"group": "stable.example.com", "scope": "Namespaced", "names": {"plural": "crons", "singular": "cron", "kind": "Cron"},
	"versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object",
	"x-kubernetes-preserve-unknown-fields": true}}, "subresources": {"scale": {"specReplicasPath": ".spec.replicas",
	"statusReplicasPath": ".status.replicas"}}}]}},
{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "plains.stable.example.com"}, "spec": {
	"group": "stable.example.com", "scope": "Namespaced", "names": {"plural": "plains", "singular": "plain", "kind": "Plain"},
	"versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object",
	"x-kubernetes-preserve-unknown-fields": true}}}]}}]}`

const customOnes = `{"apiVersion": "v1", "kind": "List", "items": [
{"apiVersion": "stable.example.com/v1", "kind": "Cron", "metadata": {"name": "c1"}, "spec": {"replicas": 1}},
{"apiVersion": "stable.example.com/v1", "kind": "Plain", "metadata": {"name": "pl1"}}]}`

// strayed is partly in a namespace that is not there.
const strayed = `{"apiVersion": "v1", "kind": "List", "items": [
{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x1"}},
{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "namespace": "nosuch"}},
{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "x", "namespace": "nosuch"}}]}`

var stamp = regexp.MustCompile(`(Start Time|Started|Finished): .*|(rV|v)ersion: "\d+"|generation: \d+|"kubectl get`)

// sameWords runs lines in both, the page's cluster for as long as a command takes. One that begins with ~ is run, but not compared;
// one that begins with @ is given a manifest.
func sameWords(t *testing.T, config cluster.Config, manifests map[string]string, lines string) {
	t.Helper()
	p := serve(t, config, 1)
	p.settle()
	page := cluster.New(config, 1)
	defer page.Close()
	page.RunUntil(15 * time.Second)
	for _, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		line, ignored := strings.CutPrefix(line, "~")
		manifest := ""
		if line[0] == '@' {
			var name string
			name, line, _ = strings.Cut(line[1:], " ")
			manifest = manifests[name]
		}
		stdout, stderr, code := p.kubectl(line, manifest)
		args, err := cluster.ParseCommand(line)
		if err != nil {
			t.Fatalf("$ %s: %v", line, err)
		}
		n := len(page.Outcomes())
		o := typed(t, page, args, manifest)
		for end := page.Elapsed() + time.Minute; !o.Done && page.Elapsed() < end; o = page.Outcomes()[n] {
			page.RunUntil(page.Elapsed() + time.Second)
		}
		same := func(text string) string {
			return everyTime.ReplaceAllString(stamp.ReplaceAllString(creation.ReplaceAllString(strings.TrimRight(text, "\n"), "…"), "…"), "…")
		}
		if !ignored && (same(o.Output) != same(stdout) || same(o.Warning+o.Error) != same(stderr) || (o.Error != "") != (code != 0)) {
			t.Errorf("$ %s\nprints\n%s\n%s\nthe real one\n%s\n%s (%d)", line, same(o.Output), same(o.Warning+o.Error), same(stdout), same(stderr), code)
		}
	}
}

// Of several objects, those that are there are dealt with; of kinds that cannot, commands say so in the same words.
func TestPagesWordsAreTheRealOnes(t *testing.T) {
	config := cluster.DefaultConfig()
	config.Controllers = []string{"namespace-controller", "serviceaccount-controller", "root-ca-certificate-publisher-controller"}
	sameWords(t, config, map[string]string{"kinds": manyKinds, "custom": customOnes, "strayed": strayed}, `
@kinds kubectl create -f -
~kubectl wait crd --all --for=condition=Established
@custom kubectl create -f -
kubectl rollout status deploy/nosuch deploy/web --watch=false
kubectl rollout status pod/p1
kubectl rollout status cron/c1
kubectl rollout status cron
kubectl rollout restart deploy/nosuch deploy/web
kubectl rollout restart rs/rs1
kubectl rollout restart cron/c1
kubectl rollout pause deploy/nosuch deploy/web
kubectl rollout restart deploy/web deploy/api
kubectl rollout resume deploy/web deploy/nosuch
kubectl rollout pause cron/c1
kubectl rollout pause deploy -l app=nosuch
kubectl rollout undo deploy/web deploy/nosuch
kubectl rollout undo cron/c1
kubectl rollout undo job/job1
kubectl rollout history deploy/nosuch deploy/web
kubectl rollout history deploy/web -o yaml
kubectl rollout history deploy/web --revision=9
kubectl rollout history deploy/web --revision=9 -o yaml
kubectl rollout history deploy/web --revision=-1
kubectl rollout history cron/c1
kubectl scale deploy/nosuch deploy/web --replicas=3
kubectl scale deploy web api --replicas=3 --current-replicas=1
kubectl scale ds/agent --replicas=2
kubectl scale plain/pl1 --replicas=2
kubectl scale cron/c1 --replicas=2 --current-replicas=1
kubectl scale deploy web --replicas=7 -o yaml --dry-run=client
kubectl scale deploy web --replicas=5 --timeout=2500ms
kubectl label cm nosuch cm1 a=b
kubectl label cm cm1 a=b c- --list
kubectl label cm cm1 =b
kubectl label cm cm1 a=b=c
kubectl annotate deploy/nosuch deploy/web x=y
kubectl annotate cm cm1 =b
kubectl annotate deploy web x=z --overwrite --dry-run=client -o yaml
kubectl annotate deploy web x- --list
kubectl taint node node-1 nosuch k=v:NoSchedule
kubectl patch cm nosuch cm2 -p '{"data":{"x":"y"}}'
kubectl patch cron c1 -p '{"spec":{"replicas":2}}'
kubectl expose deploy nosuch api --port=80
kubectl expose cron c1 --port=80
kubectl expose deploy web --port=80 --selector=a=b --name=s7 --dry-run=client -o yaml
kubectl autoscale deploy nosuch web --max=3
kubectl autoscale deploy web --max=3
kubectl autoscale pod p1 --max=3
@strayed kubectl apply -f - --dry-run=client
@strayed kubectl apply -f - --dry-run=server
@strayed kubectl apply -f -
kubectl run a --image='b ad'
kubectl run a --image=b:-x
kubectl run a --image=Up
kubectl run a --image=localhost:5000/a/b_c--d.e:v1@sha256:0123456789abcdef0123456789abcdef --dry-run=client
kubectl run a --image=nginx --env='A B=c'
kubectl run a --image=nginx --image-pull-policy=Bogus
kubectl run a --image=nginx -t
kubectl run a --image=nginx --annotations=x
kubectl run a --image=nginx --port=80 --expose --dry-run=client
kubectl set env deploy/web 'A B=c'
kubectl set env deploy/web A=b 1A=c
kubectl set env deploy/web A=b x
kubectl set env deploy/web A=b A-
kubectl set env deploy/web A=b -c nosuch
kubectl set env deploy/web A=b
kubectl set env deploy/web --list
kubectl set env deploy/web A=c --overwrite=false
kubectl set env deploy/web --from=cm/cm1 --prefix=X_
kubectl set env cm/cm1 A=b
kubectl set env cron/c1 A=b
kubectl set image deploy/web nosuch=nginx web=nginx:9
kubectl set image deploy/web web=nginx x
kubectl set image rs/rs1 sts/db a=x db=y
kubectl set subject cm/cm1 --user=x
kubectl create job j3 --from=deploy/api
kubectl create deployment x --image=
kubectl create deployment x --image='b ad'
kubectl create deployment x --image=Up
kubectl create pdb x --selector=a=b --min-available=x
kubectl create pdb x --selector=a=b --max-unavailable=-1
kubectl create pdb x --selector=a=b --max-unavailable=50% --dry-run=server
kubectl create role x --verb= --resource=pods
kubectl create service externalname x5 --external-name=A_
kubectl replace
`)
}

// What commands about Nodes and Pods say.
func TestPagesWordsOfPodsAreTheRealOnes(t *testing.T) {
	config := cluster.DefaultConfig()
	config.Controllers = []string{"namespace-controller", "serviceaccount-controller", "root-ca-certificate-publisher-controller"}
	sameWords(t, config, map[string]string{"kinds": manyKinds, "custom": customOnes}, `
@kinds kubectl create -f -
~kubectl wait crd --all --for=condition=Established
@custom kubectl create -f -
~kubectl wait pod p1 p2 --for=condition=Ready
kubectl describe pod p1 --show-events=false
kubectl logs svc/nosel
kubectl logs cm/cm1
kubectl logs cron/c1
kubectl logs p2 --limit-bytes=-1
kubectl logs p2 --limit-bytes=0
kubectl logs p2 --since=-1s
kubectl logs p2 --since=0s
kubectl logs p2 --since-time=bad
kubectl logs p2 --since-time=2050-01-01T00:00:00Z
kubectl exec p1 -c i -- ls
kubectl exec big -- ls
kubectl exec cm/cm1 -- ls
kubectl exec cron/c1 -- ls
kubectl port-forward cm/cm1 80
kubectl attach cm/cm1
kubectl top pod --sort-by=bogus
kubectl top node --sort-by=bogus
kubectl top pod a -l x=y
kubectl top node a -l x=y
kubectl top pod a b
kubectl top node a b
kubectl events --for nosuch/x
kubectl debug p1 --image=busybox --profile=bogus
kubectl wait pod/nosuch pod/p1 --for=condition=Ready --timeout=5s
kubectl wait pod/p1 pod/p2 --for=condition=Nosuch --timeout=1s
kubectl wait pod/p2 --for=condition=Ready=False --timeout=0
kubectl wait pod/p2 --for=jsonpath='.status.phase'=Running --timeout=5s
kubectl wait pod/p2 --for=jsonpath=status.phase=Running --timeout=5s
kubectl wait pod/p2 --for=jsonpath= --timeout=1s
kubectl wait pod/p2 --for=jsonpath='{.status.phase}'= --timeout=1s
kubectl wait pod/p1 --for=jsonpath='{.spec.containers[0].name}{.metadata.name}'=a --timeout=1s
kubectl wait pod/p1 --for=delete --timeout=0
kubectl wait pod/p1 pod/p2 --for=delete --timeout=1s
kubectl wait pod/p2 --for=CONDITION=ready --timeout=1s
kubectl drain node-1 --pod-selector='a in'
kubectl drain node-1 --dry-run=server --force --delete-emptydir-data --pod-selector='!a'
kubectl drain pod/p1
kubectl cordon pod/p1
kubectl taint node node-1 a=b
kubectl taint node node-1 a=d:NoSchedule a:NoSchedule-
kubectl taint node node-1 b=c:NoSchedule --dry-run=client
kubectl taint node node-1 b=c:NoSchedule --dry-run=server
kubectl taint node node-1 --all a=b:NoSchedule
kubectl taint node -l x=y --all a=b:NoSchedule
kubectl taint node a=b:NoSchedule
kubectl taint nosuch p1 a=b:NoSchedule
kubectl taint node/node-1 a=b:NoSchedule
`)
}

// What is remembered of a rollout, and what goes back to it.
func TestPagesRolloutsAreTheRealOnes(t *testing.T) {
	sameWords(t, cluster.DefaultConfig(), map[string]string{"kinds": manyKinds}, `
~@kinds kubectl create -f -
~kubectl rollout status deploy/api
~kubectl rollout status sts/db
~kubectl rollout status ds/agent
kubectl set image deploy/api api=nginx:1.28
~kubectl rollout status deploy/api
kubectl annotate deploy/api kubernetes.io/change-cause='new image'
~kubectl wait --for=jsonpath='{.metadata.annotations.kubernetes\.io/change-cause}'='new image' rs -l app=api --timeout=3s
kubectl rollout history deploy/api
kubectl rollout history deploy/api --revision=2
kubectl rollout history deploy/api --revision=1 -o name
kubectl rollout history deploy/api -o name
kubectl rollout undo deploy/api --dry-run=client
kubectl rollout undo deploy/api --dry-run=server
kubectl rollout history sts/db --revision=1 -o jsonpath={.kind}
kubectl rollout undo sts/db --to-revision=1 --dry-run=client
kubectl rollout undo ds/agent --to-revision=1 --dry-run=client
kubectl rollout undo ds/agent --to-revision=1
`)
}
