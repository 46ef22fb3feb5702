package apiserver

import (
	"fmt"
	"strings"
	"testing"

	"kubewalk/playground/api"
	"kubewalk/playground/api/authenticationv1"
	"kubewalk/playground/api/coordinationv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/apiserver/admission"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

func TestNodeRestriction(t *testing.T) {
	w := newWorld(t, trace.Off)
	node := func(name string, labels map[string]string, taints ...corev1.Taint) *corev1.Node {
		return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}, Spec: corev1.NodeSpec{Taints: taints}}
	}
	on := func(node string) *corev1.Pod {
		pod := newPod("web")
		pod.Spec.NodeName = node
		return pod
	}
	mirror := func(owners ...metav1.OwnerReference) *corev1.Pod {
		pod := on("node-1")
		pod.Annotations, pod.OwnerReferences = map[string]string{"kubernetes.io/config.mirror": "x"}, owners
		return pod
	}
	labelled := on("node-1")
	labelled.Labels = map[string]string{"app": "other"}
	lease := func(name string) *coordinationv1.Lease {
		return &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "kube-node-lease"}}
	}
	yes := true
	type labels = map[string]string
	w.run(func(p *sim.Proc) {
		w.must(p, create(podsResource, newPod("web")))
		w.must(p, bind("web", "node-1"))
		w.must(p, create(podsResource, newPod("away")))
		w.must(p, bind("away", "node-2"))
		uid := w.must(p, get(podsResource, "web")).(*corev1.Pod).UID
		token := func(ref *authenticationv1.BoundObjectReference) *authenticationv1.TokenRequest {
			return &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{BoundObjectRef: ref}}
		}
		bound := func(name string, uid types.UID) *authenticationv1.BoundObjectReference {
			return &authenticationv1.BoundObjectReference{APIVersion: "v1", Kind: "Pod", Name: name, UID: uid}
		}
		const forbidden = ` is forbidden: `
		for _, c := range []struct {
			op             admission.Operation
			resource, name string
			obj, old       api.Object
			want           string // "" is allowed
		}{
			{admission.Create, "nodes", "", node("node-1", labels{"kubernetes.io/hostname": "node-1", "node.kubernetes.io/x": "", "own/x": "", "x": ""}), nil, ""},
			{admission.Create, "nodes", "", node("node-2", nil), nil, `nodes "node-2"` + forbidden + `node "node-1" is not allowed to modify node "node-2"`},
			{admission.Create, "nodes", "", node("node-1", labels{"node-role.kubernetes.io/control-plane": "", "a.node-restriction.kubernetes.io/b": ""}), nil,
				`nodes "node-1"` + forbidden + `node "node-1" is not allowed to set the following labels: a.node-restriction.kubernetes.io/b, node-role.kubernetes.io/control-plane`},
			{admission.Update, "nodes", "node-1", node("node-1", nil), node("node-1", labels{"node-role.kubernetes.io/x": ""}),
				`nodes "node-1"` + forbidden + `is not allowed to modify labels: node-role.kubernetes.io/x`},
			{admission.Update, "nodes", "node-1", node("node-1", nil), node("node-1", nil, corev1.Taint{Key: "x"}),
				`nodes "node-1"` + forbidden + `node "node-1" is not allowed to modify taints`},
			{admission.Update, "nodes/status", "node-1", node("node-1", labels{"x": ""}), node("node-1", nil), ""},
			{admission.Delete, "nodes", "node-2", nil, node("node-2", nil), `nodes "node-2"` + forbidden + `node "node-1" is not allowed to modify node "node-2"`},
			{admission.Create, "pods", "", on("node-1"), nil,
				`pods "web"` + forbidden + `pod does not have "kubernetes.io/config.mirror" annotation, node "node-1" can only create mirror pods`},
			{admission.Create, "pods", "", mirror(), nil, `pods "web"` + forbidden + `node "node-1" can only create pods with an owner reference set to itself`},
			{admission.Create, "pods", "", mirror(metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: "node-1", Controller: &yes}), nil, ""},
			{admission.Update, "pods", "web", on("node-1"), on("node-1"),
				`pods "web"` + forbidden + `unexpected operation "UPDATE", node "node-1" can only create and delete mirror pods`},
			{admission.Delete, "pods", "web", nil, on("node-1"), ""},
			{admission.Delete, "pods", "web", nil, on("node-2"), `pods "web"` + forbidden + `node "node-1" can only delete pods with spec.nodeName set to itself`},
			{admission.Update, "pods/status", "web", on("node-1"), on("node-1"), ""},
			{admission.Update, "pods/status", "web", on("node-2"), on("node-2"),
				`pods "web"` + forbidden + `node "node-1" can only update pod status for pods with spec.nodeName set to itself`},
			{admission.Update, "pods/status", "web", labelled, on("node-1"), `pods "web"` + forbidden + `node "node-1" cannot update labels through pod status`},
			{admission.Create, "pods/binding", "web", &corev1.Binding{}, nil,
				`pods "web"` + forbidden + `unexpected pod subresource "binding", only 'status' and 'eviction' are allowed`},
			{admission.Create, "pods/eviction", "away", nil, nil, `pods "away"` + forbidden + `node node-1 can only evict pods with spec.nodeName set to itself`},
			{admission.Create, "pods/eviction", "web", nil, nil, ""},
			{admission.Create, "pods/eviction", "gone", nil, nil, `pods "gone" not found`},
			{admission.Create, "leases", "", lease("node-1"), nil, ""},
			{admission.Update, "leases", "node-2", lease("node-2"), lease("node-2"),
				`leases.coordination.k8s.io "node-2"` + forbidden + `can only access node lease with the same name as the requesting node`},
			{admission.Create, "serviceaccounts/token", "default", token(nil), nil,
				`serviceaccounts "default"` + forbidden + `node requested token not bound to a pod`},
			{admission.Create, "serviceaccounts/token", "default", token(bound("web", "")), nil,
				`serviceaccounts "default"` + forbidden + `node requested token with a pod binding without a uid`},
			{admission.Create, "serviceaccounts/token", "default", token(bound("web", uid)), nil, ""},
			{admission.Create, "secrets", "", &corev1.Secret{}, nil, ""},
		} {
			resource, sub, _ := strings.Cut(c.resource, "/")
			kind := api.Resolve(resource)
			a := &admission.Attributes{Kind: kind, Name: c.name, Subresource: sub, Operation: c.op, Object: c.obj, OldObject: c.old,
				UserInfo: &authenticationv1.UserInfo{Username: "system:node:node-1", Groups: []string{"system:nodes"}}}
			if kind.Namespaced {
				a.Namespace = "default"
				if resource == "leases" {
					a.Namespace = "kube-node-lease"
				}
			}
			var err error
			if c.op == admission.Delete {
				err = w.s.admission.Validate(p, a)
			} else {
				err = w.s.admission.Admit(p, a)
			}
			if got := fmt.Sprint(err); err == nil && c.want != "" || err != nil && got != c.want {
				t.Errorf("%s %s %s\ngot  %v\nwant %s", c.op, c.resource, c.name, err, c.want)
			}
			a.UserInfo = &authenticationv1.UserInfo{Username: "system:node:node-1"} // in no group: nobody's kubelet
			if c.op == admission.Delete {
				err = w.s.admission.Validate(p, a)
			} else {
				err = w.s.admission.Admit(p, a)
			}
			if err != nil {
				t.Errorf("%s %s: another user is refused: %v", c.op, c.resource, err)
			}
		}
	})
}
