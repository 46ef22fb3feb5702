package chaos

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/trace"
)

// into collects what is said.
func into(said *[]string) sayer {
	return func(format string, args ...any) { *said = append(*said, fmt.Sprintf(format, args...)) }
}

// What is said of a tree of namespaces, and of Cluster API's Machines, that are not as they have to be, and of none that are.
func TestSystemsUnsettled(t *testing.T) {
	custom := func(text string) *api.Unstructured {
		o := &api.Unstructured{}
		if err := json.Unmarshal([]byte(text), o); err != nil {
			t.Fatal(err)
		}
		return o
	}
	secret := func(namespace, token string, annotations map[string]string) *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "pull", Annotations: annotations},
			Data: map[string][]byte{"token": []byte(token)}}
	}
	sub := custom(`{"apiVersion":"accurate.cybozu.com/v2","kind":"SubNamespace","metadata":{"namespace":"team","name":"web"}}`)
	team := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team", Labels: map[string]string{"team": "a"}}}
	web := func(labels map[string]string) *corev1.Namespace {
		return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "web", Labels: labels}}
	}
	below := map[string]string{"team": "a", treeParent: "team"}
	update, copied := map[string]string{treePropagate: "update"}, map[string]string{treePropagate: "update", treeFrom: "team"}
	machine := custom(`{"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"Machine","metadata":{"namespace":"default","name":"w-1","uid":"m"},
		"spec":{"providerID":"toy:///vm-1"},"status":{"nodeRef":{"name":"vm-1"}}}`)
	deployment := custom(`{"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"MachineDeployment","metadata":{"namespace":"default","name":"w"},"spec":{"replicas":1},
		"status":{"replicas":1,"readyReplicas":1,"availableReplicas":1,"upToDateReplicas":1}}`)
	toy := custom(`{"apiVersion":"infrastructure.cluster.x-k8s.io/v1beta2","kind":"ToyMachine","metadata":{"namespace":"default","name":"w-1",
		"ownerReferences":[{"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"Machine","name":"w-1","uid":"m"}]},"spec":{"providerID":"toy:///vm-1"}}`)
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "vm-1", Annotations: map[string]string{"cluster.x-k8s.io/machine": "w-1"}},
		Spec: corev1.NodeSpec{ProviderID: "toy:///vm-1", PodCIDR: "10.244.1.0/24"}}
	other := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "vm-2"}, Spec: corev1.NodeSpec{PodCIDR: "10.244.1.0/24"}}
	type objects map[string]any
	capi := objects{machines + " default/w-1": machine, deployments + " default/w": deployment, toyMachines + " default/w-1": toy}
	with := func(more ...objects) objects {
		all := objects{}
		for _, o := range more {
			maps.Copy(all, o)
		}
		return all
	}
	root, child, ask := objects{"namespaces team": team}, objects{"namespaces web": web(below)}, objects{subNamespaces + " team/web": sub}
	source := func(token string) objects { return objects{"secrets team/pull": secret("team", token, update)} }
	arrived := objects{"secrets web/pull": secret("web", "1", copied)}
	up, vm := []string{"containerd/vm-1"}, objects{"nodes vm-1": node}
	for name, test := range map[string]struct {
		with objects
		runs []string
		want string
	}{
		"a tree":                 {with(root, child, ask, source("1"), arrived), nil, ""},
		"no namespace":           {with(root, ask), nil, "subnamespace team/web has no namespace"},
		"another's namespace":    {with(root, ask, objects{"namespaces web": web(nil)}), nil, "subnamespace team/web says"},
		"another label":          {with(root, objects{"namespaces web": web(map[string]string{treeParent: "team"})}), nil, "is of team"},
		"no parent":              {child, nil, "below team, which is not there"},
		"no copy":                {with(root, child, source("1")), nil, "not propagated to web"},
		"an old copy":            {with(root, child, source("2"), arrived), nil, "not the same in web"},
		"a copy of nothing":      {with(root, child, arrived), nil, "there is no source"},
		"a machine":              {with(capi, vm), up, ""},
		"no machine":             {objects{deployments + " default/w": deployment}, nil, "1 machines are wanted, and there are 0"},
		"no node":                {capi, nil, "machine default/w-1 has no node"},
		"a node that is left":    {vm, nil, "its machine w-1 is gone"},
		"an instance":            {nil, up, "instance vm-1 runs in the cloud"},
		"a toymachine by itself": {objects{toyMachines + " default/w-1": toy}, nil, "toymachine default/w-1 has no machine"},
		"an address twice":       {with(capi, vm, objects{"nodes vm-2": other}), nil, "have the same network"},
	} {
		s := trace.State{}
		for _, component := range append([]string{tree, "capi-controller-manager"}, test.runs...) {
			s[trace.Cell{Kind: trace.CellComponent, Owner: component}] = "running"
		}
		for key, o := range test.with {
			resource, key, _ := strings.Cut(key, " ")
			s[trace.Cell{Kind: trace.CellObject, Owner: resource, Key: key}] = o
		}
		var said []string
		say := into(&said)
		accurateUnsettled(s, say)
		capiUnsettled(s, say)
		slices.Sort(said)
		if got := strings.Join(said, "; "); (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: it says %q, want %q", name, got, test.want)
		}
	}
}
