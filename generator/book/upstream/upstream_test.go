package upstream

import (
	"strings"
	"testing"
)

func TestLink(t *testing.T) {
	got, err := Link("pkg/controller/replicaset/replica_set.go#ReplicaSetController.syncReplicaSet")
	want := "https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/controller/replicaset/replica_set.go#L755-L857"
	if err != nil || got != want {
		t.Errorf("got %q, %v", got, err)
	}
	got, err = Link("pkg/controller/replicaset/replica_set.go")
	if want := strings.TrimSuffix(want, "#L755-L857"); err != nil || got != want {
		t.Errorf("whole file: got %q, %v", got, err)
	}
}

func TestEveryKindOfDeclaration(t *testing.T) {
	const root = "https://github.com/kubernetes/kubernetes/blob/v1.36.3/"
	for reference, want := range map[string]string{
		"pkg/controller/replicaset/replica_set.go#BurstReplicas":                  "pkg/controller/replicaset/replica_set.go#L74-L74",
		"staging/src/k8s.io/client-go/util/workqueue/queue.go#TypedInterface":     "staging/src/k8s.io/client-go/util/workqueue/queue.go#L",
		"staging/src/k8s.io/client-go/util/workqueue/queue.go#TypedInterface.Get": "staging/src/k8s.io/client-go/util/workqueue/queue.go#L",
		"staging/src/k8s.io/client-go/util/workqueue/queue.go#Typed.Get":          "staging/src/k8s.io/client-go/util/workqueue/queue.go#L",
		"pkg/controller/controller_utils.go#UpdateTaintBackoff":                   "pkg/controller/controller_utils.go#L",
		"staging/src/k8s.io/api/core/v1/types.go#PodSpec":                         "staging/src/k8s.io/api/core/v1/types.go#L",
		"#slowStartBatch":                      "", // in more than one file
		"#ReplicaSetController.manageReplicas": "pkg/controller/replicaset/replica_set.go#L649-L750",
	} {
		got, err := Link(reference)
		if want == "" {
			if err == nil || !strings.Contains(err.Error(), "#slowStartBatch, k8s:") {
				t.Errorf("%s: got %q, %v", reference, got, err)
			}
		} else if err != nil || !strings.HasPrefix(got, root+want) {
			t.Errorf("%s: got %q, %v", reference, got, err)
		}
	}
}

func TestCited(t *testing.T) {
	for _, test := range []struct{ doc, file, symbol, want string }{
		{"x.\nUpstream: replica_set.go, manageReplicas.", "playground/controlplane/controller/replicaset/replicas.go", "ReplicaSetController.manageReplicas",
			"pkg/controller/replicaset/replica_set.go#ReplicaSetController.manageReplicas"},
		{"Upstream: Kubelet.SyncPod.", "playground/node/kubelet/pod_syncer.go", "Kubelet.SyncPod", "pkg/kubelet/kubelet.go#Kubelet.SyncPod"},
		{"Upstream: pkg/kubelet/lifecycle/predicate.go Admit", "playground/node/kubelet/x.go", "admit",
			"pkg/kubelet/lifecycle/predicate.go#predicateAdmitHandler.Admit"},
		{"Upstream: pkg/controller/controller_ref_manager.go, the type of that name.", "x/y.go", "BaseControllerRefManager",
			"pkg/controller/controller_ref_manager.go#BaseControllerRefManager"},
		{"Nothing of the kind.", "x/y.go", "Get", ""},
		{"Upstream: nowhere.go, nothing.", "x/y.go", "Get", ""},
		{"Upstream:", "x/y.go", "Get", ""},
	} {
		got, ok := Cited(test.doc, test.file, test.symbol)
		if got != test.want || ok != (test.want != "") {
			t.Errorf("%q: got %q, want %q", test.doc, got, test.want)
		}
	}
}

func FuzzLink(f *testing.F) {
	f.Add("pkg/controller/replicaset/replica_set.go#slowStartBatch", "Upstream: queue.go, Typed.Get.")
	f.Add("#", "Upstream: a.go.")
	f.Add("", "")
	f.Fuzz(func(t *testing.T, reference, doc string) {
		if address, err := Link(reference); err == nil && !strings.HasPrefix(address, "https://github.com/kubernetes/kubernetes/blob/") {
			t.Errorf("%q leads to %q", reference, address)
		}
		if cited, ok := Cited(doc, "a/b.go", "Get"); ok {
			if _, err := Link(cited); err != nil {
				t.Errorf("%q cites %q: %v", doc, cited, err)
			}
		}
	})
}

func TestUnknownSymbolsNameTheCure(t *testing.T) {
	for reference, cure := range map[string]string{
		"pkg/controller/replicaset/replica_set.go#ReplicaSetController.syncReplicaset": `did you mean "ReplicaSetController.syncReplicaSet"?`,
		"pkg/controller/replicaset/replicaset.go#slowStartBatch":                       "did you mean",
		"pkg/controller/replicaset/replicaset.go":                                      `did you mean "pkg/controller/replicaset/replica_set.go"?`,
		"pkg/controller/deployment/sync.go#ReplicaSetController.manageReplicas":        "it is in pkg/controller/replicaset/replica_set.go",
		"#ReplicaSetController.manageReplica":                                          `did you mean "ReplicaSetController.manageReplicas"?`,
		"nowhere.go":                                                                   "paths start at the root",
		"":                                                                             "paths start at the root",
	} {
		_, err := Link(reference)
		if err == nil || !strings.Contains(err.Error(), cure) {
			t.Errorf("%s: got %v, want the cure %q", reference, err, cure)
		}
	}
}
