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

func TestUnknownSymbolsNameTheCure(t *testing.T) {
	for reference, cure := range map[string]string{
		"pkg/controller/replicaset/replica_set.go#ReplicaSetController.syncReplicaset": `did you mean "ReplicaSetController.syncReplicaSet"?`,
		"pkg/controller/replicaset/replicaset.go#slowStartBatch":                       "did you mean",
		"pkg/controller/replicaset/replicaset.go":                                      `did you mean "pkg/controller/replicaset/replica_set.go"?`,
		"pkg/controller/deployment/sync.go#ReplicaSetController.manageReplicas":        "it stands in pkg/controller/replicaset/replica_set.go",
		"nowhere.go": "paths start at the root",
		"":           "paths start at the root",
	} {
		_, err := Link(reference)
		if err == nil || !strings.Contains(err.Error(), cure) {
			t.Errorf("%s: got %v, want the cure %q", reference, err, cure)
		}
	}
}
