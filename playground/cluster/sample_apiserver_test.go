//go:build !js

package cluster_test

import (
	"strings"
	"testing"
	"time"
)

// TestSampleAPIServer: upstream's example of an extension API server, with its etcd beside it, serves both its versions to kubectl. Its objects
// survive its own end, not that of etcd. Upstream: test/e2e/apimachinery/aggregator.go, SetUpSampleAPIServer.
func TestSampleAPIServer(t *testing.T) {
	const (
		pod = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"sample"},"spec":{"selector":{"matchLabels":{"app":"sample"}},
			"template":{"metadata":{"labels":{"app":"sample"}},"spec":{"containers":[
			{"name":"sample-apiserver","image":"registry.k8s.io/e2e-test-images/sample-apiserver:1.29.2","args":["--etcd-servers=http://127.0.0.1:2379"],
			"readinessProbe":{"httpGet":{"scheme":"HTTPS","port":443,"path":"/readyz"},"periodSeconds":1}},
			{"name":"etcd","image":"registry.k8s.io/etcd:3.6.8-0","command":["/usr/local/bin/etcd","--listen-client-urls","http://127.0.0.1:2379",
			"--advertise-client-urls","http://127.0.0.1:2379"]}]}}}}`
		service = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"sample-api"},"spec":{"selector":{"app":"sample"},
			"ports":[{"port":7443,"targetPort":443}]}}`
		group = `{"apiVersion":"apiregistration.k8s.io/v1","kind":"APIService","metadata":{"name":"VERSION.wardle.example.com"},"spec":{
			"group":"wardle.example.com","version":"VERSION","groupPriorityMinimum":2000,"versionPriority":200,"insecureSkipTLSVerify":true,
			"service":{"namespace":"default","name":"sample-api","port":7443}}}`
		flunder = `{"apiVersion":"wardle.example.com/VERSION","kind":"Flunder","metadata":{"name":"NAME","namespace":"shop"},"spec":{"reference":"other"}}`
		fischer = `{"apiVersion":"wardle.example.com/v1alpha1","kind":"Fischer","metadata":{"name":"f"},"disallowedFlunders":["bad"]}`
	)
	of := func(text, name string) string {
		return strings.NewReplacer("VERSION", "v1alpha1", "NAME", name).Replace(text)
	}
	w := newNetWorld(t, 6, false, shop, pod, service, of(group, ""), strings.ReplaceAll(group, "VERSION", "v1beta1"))
	w.pass(time.Minute)
	w.prints("get apiservices v1alpha1.wardle.example.com v1beta1.wardle.example.com", "default/sample-api   True")
	w.prints("api-resources --api-group=wardle.example.com -o name", "fischers.wardle.example.com\nflunders.wardle.example.com")
	say := func(line, manifest, want string) {
		t.Helper()
		if got := typed(t, w.Cluster, line, manifest); !strings.Contains(got, want) {
			t.Errorf("$ kubectl %s\n%s\nwant %s", line, got, want)
		}
	}
	say("create -f -", of(flunder, "a"), "flunder.wardle.example.com/a created")
	say("create -f -", of(flunder, "a"), `flunders.wardle.example.com "a" already exists`)
	say("create -f -", strings.Replace(of(flunder, "b"), "reference", "referee", 1), `strict decoding error: unknown field "spec.referee"`)
	say("create -f -", fischer, "fischer.wardle.example.com/f created")
	say("create -f -", of(flunder, "bad"), `flunders.wardle.example.com "bad" is forbidden: this name may not be used, please change the resource name`)
	say("get flunders -n shop", "", "NAME   CREATED AT\na      2026-")
	say("get flunders.v1alpha1.wardle.example.com a -n shop -o jsonpath={.spec}", "", `{"reference":"other","referenceType":"Flunder"}`)
	say("get flunders.v1beta1.wardle.example.com a -n shop -o jsonpath={.spec}", "", `{"flunderReference":"other","referenceType":"Flunder"}`)
	say("label flunder a -n shop x=y", "", "flunder.wardle.example.com/a labeled")
	say("get flunders -A -l x=y -o name", "", "flunder.wardle.example.com/a")
	say("get flunder b -n shop", "", `Error from server (NotFound): flunders.wardle.example.com "b" not found`)
	say("delete fischer f", "", `fischer.wardle.example.com "f" deleted`)
	restart := func(container, image string) {
		t.Helper()
		name := strings.TrimSpace(typed(t, w.Cluster, "get pods -l app=sample -o jsonpath={.items[0].metadata.name}", ""))
		say("patch pod "+name+` -p '{"spec":{"containers":[{"name":"`+container+`","image":"`+image+`"}]}}'`, "", "patched")
		w.pass(time.Minute)
	}
	restart("sample-apiserver", "registry.k8s.io/e2e-test-images/sample-apiserver:1.29.3")
	say("get flunders -n shop -o name", "", "flunder.wardle.example.com/a")
	restart("etcd", "registry.k8s.io/etcd:3.6.9-0")
	say("get flunders -n shop", "", "No resources found in shop namespace.")
	say("create -f -", of(flunder, "c"), "created")
	w.prints("delete namespace shop", `namespace "shop" deleted`)
	say("get flunders -A", "", "No resources found")
}
