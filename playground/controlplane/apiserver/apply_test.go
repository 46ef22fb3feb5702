package apiserver

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

func apply(resource, manager, name, body string) *client.Request {
	kind := api.Resolve(resource)
	return &client.Request{Verb: client.Patch, Resource: kind.GroupVersionResource(), Namespace: "default", Name: name,
		PatchType: types.ApplyPatchType, Patch: []byte(body), FieldManager: manager, ManagedFields: true}
}

// owned lists an object's managers and what they have.
func owned(obj client.Result) string {
	var lines []string
	for _, e := range obj.(api.Object).GetManagedFields() {
		line := e.Manager + " " + string(e.Operation) + " " + e.FieldsV1.GetRawString()
		if e.Subresource != "" {
			line = e.Manager + "/" + e.Subresource + " " + string(e.Operation) + " " + e.FieldsV1.GetRawString()
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func expect(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\ngot\n%s\nwant\n%s", what, got, want)
	}
}

// The steps of the recorded transcript 08-config-and-apply, and what was recorded of them.
func TestApplyAsRecorded(t *testing.T) {
	w := newWorld(t, trace.Off)
	w.run(func(p *sim.Proc) {
		a := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"shared"},"data":{"colour":"blue","size":"small"}}`
		b := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"shared"},"data":{"colour":"red"}}`
		w.must(p, apply("cm", "alice", "shared", a))
		_, err := w.do(p, apply("cm", "bob", "shared", b))
		expect(t, "bob", fmt.Sprint(err), `Apply failed with 1 conflict: conflict with "alice": .data.colour`)
		if !apierrors.IsConflict(err) {
			t.Errorf("%v is no conflict", err)
		}
		force := apply("cm", "bob", "shared", b)
		force.Force = true
		got := w.must(p, force)
		expect(t, "managers", owned(got), "alice Apply {\"f:data\":{\"f:size\":{}}}\nbob Apply {\"f:data\":{\"f:colour\":{}}}")
		if data := got.(*corev1.ConfigMap).Data; fmt.Sprint(data) != "map[colour:red size:small]" {
			t.Errorf("%v", data)
		}
		// Nobody who doesn't ask sees them.
		if m := w.must(p, get(cmResource, "shared")).(api.Object).GetManagedFields(); m != nil {
			t.Errorf("unasked: %v", m)
		}
		// What alice applies no more goes away.
		got = w.must(p, apply("cm", "alice", "shared", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"shared"}}`))
		expect(t, "after alice left", owned(got)+fmt.Sprint(got.(*corev1.ConfigMap).Data), "bob Apply {\"f:data\":{\"f:colour\":{}}}map[colour:red]")
	})
}

const deployment = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","labels":{"app":"web"}},
"spec":{"replicas":3,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},
"spec":{"containers":[{"name":"nginx","image":"nginx:1.27","ports":[{"containerPort":80}]}]}}}}`

// What upstream's documentation shows of an object that kubectl created.
func TestOwnersOfCreate(t *testing.T) {
	w := newWorld(t, trace.Off)
	w.run(func(p *sim.Proc) {
		r := &client.Request{Verb: client.Create, Resource: api.Resolve("deployments").GroupVersionResource(), Namespace: "default",
			Body: []byte(deployment), FieldManager: "kubectl-create", ManagedFields: true}
		got := w.must(p, r)
		expect(t, "managers", owned(got),
			`kubectl-create Update {"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:progressDeadlineSeconds":{},"f:replicas":{},"f:revisionHistoryLimit":{},"f:selector":{},"f:strategy":{"f:rollingUpdate":{".":{},"f:maxSurge":{},"f:maxUnavailable":{}},"f:type":{}},"f:template":{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"nginx\"}":{".":{},"f:image":{},"f:imagePullPolicy":{},"f:name":{},"f:ports":{".":{},"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{},"f:protocol":{}}},"f:resources":{},"f:terminationMessagePath":{},"f:terminationMessagePolicy":{}}},"f:dnsPolicy":{},"f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{},"f:terminationGracePeriodSeconds":{}}}}}`)
	})
}

func TestOwnership(t *testing.T) {
	w := newWorld(t, trace.Off)
	deploy := api.Resolve("deployments").GroupVersionResource()
	w.run(func(p *sim.Proc) {
		got := w.must(p, apply("deploy", "kubectl", "web", deployment))
		expect(t, "applied", owned(got),
			`kubectl Apply {"f:metadata":{"f:labels":{"f:app":{}}},"f:spec":{"f:replicas":{},"f:selector":{},"f:template":{"f:metadata":{"f:labels":{"f:app":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"nginx\"}":{".":{},"f:image":{},"f:name":{},"f:ports":{"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{}}}}}}}}}`)
		// A scale by somebody else takes the replicas.
		p.Sleep(2 * time.Second)
		w.must(p, &client.Request{Verb: client.Patch, Resource: deploy, Subresource: "scale", Namespace: "default", Name: "web",
			PatchType: types.MergePatchType, Patch: []byte(`{"spec":{"replicas":5}}`), FieldManager: "kubectl"})
		r := get(deploy, "web")
		r.ManagedFields = true
		now := owned(w.must(p, r))
		if !strings.Contains(now, `kubectl/scale Update {"f:spec":{"f:replicas":{}}}`) || strings.Count(now, "f:replicas") != 1 {
			t.Errorf("after a scale:\n%s", now)
		}
		// The next apply is in conflict with it.
		_, err := w.do(p, apply("deploy", "kubectl", "web", deployment))
		expect(t, "conflict", fmt.Sprint(err), `Apply failed with 1 conflict: conflict with "kubectl" with subresource "scale" using apps/v1: .spec.replicas`)
		// Two at once, and a third manager.
		w.must(p, &client.Request{Verb: client.Patch, Resource: deploy, Namespace: "default", Name: "web", PatchType: types.StrategicMergePatchType,
			Patch: []byte(`{"spec":{"template":{"spec":{"containers":[{"name":"nginx","image":"nginx:1.28"}]}}}}`), FieldManager: "kubectl-set"})
		_, err = w.do(p, apply("deploy", "kubectl", "web", deployment))
		expect(t, "conflicts", fmt.Sprint(err),
			"Apply failed with 2 conflicts: conflicts with \"kubectl\" with subresource \"scale\" using apps/v1:\n- .spec.replicas\nconflicts with \"kubectl-set\" using apps/v1:\n- .spec.template.spec.containers[name=\"nginx\"].image")
		// The same value is shared, without a conflict.
		share := strings.NewReplacer(`"replicas":3`, `"replicas":5`, "1.27", "1.28").Replace(deployment)
		now = owned(w.must(p, apply("deploy", "kubectl", "web", share)))
		if strings.Count(now, "f:replicas") != 2 || strings.Count(now, "f:image") != 2 {
			t.Errorf("shared:\n%s", now)
		}
		// What is applied no more stays while somebody else has it.
		got = w.must(p, apply("deploy", "kubectl", "web", strings.Replace(share, `"replicas":5,`, "", 1)))
		if strings.Count(owned(got), "f:replicas") != 1 {
			t.Errorf("left:\n%s", owned(got))
		}
		// The status is nobody's but the status'.
		got = w.must(p, apply("deploy", "kubectl", "web", strings.Replace(share, `"spec":`, `"status":{"replicas":7},"spec":`, 1)))
		if strings.Contains(owned(got), "f:status") {
			t.Errorf("status:\n%s", owned(got))
		}
		status := apply("deploy", "prober", "web",
			`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"status":{"conditions":[{"type":"Probed","status":"True"}]},"spec":{"paused":true}}`)
		status.Subresource = "status"
		got = w.must(p, status)
		if !strings.Contains(owned(got), `prober/status Apply {"f:status":{"f:conditions":{"k:{\"type\":\"Probed\"}":{".":{},"f:status":{},"f:type":{}}}}}`) {
			t.Errorf("status:\n%s", owned(got))
		}
	})
}

// What is dropped takes nothing else along: not what the server wrote beside it, nor what somebody else added.
func TestApplyDropsOnlyItsOwn(t *testing.T) {
	w := newWorld(t, trace.Off)
	w.run(func(p *sim.Proc) {
		first := w.must(p, apply("cm", "a", "c",
			`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","labels":{"x":"1"},"annotations":{"y":"2"}},"data":{"k":"v"}}`)).(api.Object)
		w.must(p, &client.Request{Verb: client.Patch, Resource: cmResource, Namespace: "default", Name: "c", PatchType: types.MergePatchType,
			Patch: []byte(`{"metadata":{"annotations":{"theirs":"3"}}}`), FieldManager: "other"})
		got := w.must(p, apply("cm", "a", "c", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}}`)).(*corev1.ConfigMap)
		if got.UID != first.GetUID() || len(got.Labels) != 0 || fmt.Sprint(got.Annotations) != "map[theirs:3]" || len(got.Data) != 0 {
			t.Errorf("%+v", got)
		}
	})
}

// Writes that only the server makes (a binding, the mark of a deletion) have no owner.
func TestUnownedWrites(t *testing.T) {
	w := newWorld(t, trace.Off)
	w.run(func(p *sim.Proc) {
		w.must(p, create(podsResource, newPod("a")))
		w.must(p, bind("a", "node-1"))
		w.must(p, &client.Request{Verb: client.Patch, Resource: podsResource, Subresource: "status", Namespace: "default", Name: "a",
			PatchType: types.StrategicMergePatchType, Patch: []byte(`{"status":{"conditions":[{"type":"Ready","status":"True"}],"phase":"Running"}}`),
			FieldManager: "kubelet"})
		r := get(podsResource, "a")
		r.ManagedFields = true
		got := owned(w.must(p, r))
		if strings.Contains(got, "f:nodeName") || strings.Contains(got, "f:tolerations") || strings.Contains(got, "PodScheduled") {
			t.Errorf("the binding has an owner:\n%s", got)
		}
		if !strings.Contains(got,
			`kubelet/status Update {"f:status":{"f:conditions":{"k:{\"type\":\"Ready\"}":{".":{},"f:lastProbeTime":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}}},"f:phase":{}}}`) {
			t.Errorf("kubelet's:\n%s", got)
		}
	})
}

func TestApplyRefused(t *testing.T) {
	w := newWorld(t, trace.Off)
	w.run(func(p *sim.Proc) {
		head := `"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"}`
		for _, c := range []struct{ manager, body, want string }{
			{"", deployment, `PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch`},
			{"a", `{"apiVersion":"apps/v2","kind":"Deployment"}`, "Incorrect version specified in apply patch. Specified patch version: apps/v2, expected: apps/v1"},
			{"a", `{` + head + `,"spec":{"replica":3}}`,
				"failed to create typed patch object (/web; apps/v1, Kind=Deployment): .spec.replica: field not declared in schema"},
			{"a", `{` + head + `,"spec":{"replicas":"three"}}`,
				`failed to create typed patch object (/web; apps/v1, Kind=Deployment): .spec.replicas: expected numeric (int or float), got &value.valueUnstructured{Value:"three"}`},
			{"a", `{` + head + `,"spec":{"template":{"spec":{"containers":[{"name":"a"},{"name":"a"}]}}}}`,
				`failed to create typed patch object (/web; apps/v1, Kind=Deployment): .spec.template.spec.containers: duplicate entries for key [name="a"]`},
			{"a", `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"other"}}`, "the name of the object (other) does not match the name on the URL (web)"},
			{"a", `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","managedFields":[]}}`, "metadata.managedFields must be nil"},
			{"a", `{` + head + `}`, "Deployment.apps \"web\" is invalid: [spec.selector: Required value, "},
		} {
			_, err := w.do(p, apply("deploy", c.manager, "web", c.body))
			if !strings.HasPrefix(fmt.Sprint(err), c.want) {
				t.Errorf("%s\ngot  %v\nwant %s", c.body, err, c.want)
			}
		}
		merge := apply("deploy", "a", "web", "{}")
		merge.PatchType, merge.Force = types.MergePatchType, true
		if _, err := w.do(p, merge); fmt.Sprint(err) != `PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch` {
			t.Errorf("%v", err)
		}
	})
}

// kubectl's own conflicts with what it applied on the client's side before are forgiven.
func TestApplyUpgradesClientSideApply(t *testing.T) {
	w := newWorld(t, trace.Off)
	w.run(func(p *sim.Proc) {
		body := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"c\"},\"data\":{\"keep\":\"1\"}}"}},"data":{"keep":"1","other":"2"}}`
		w.must(p, &client.Request{Verb: client.Create, Resource: cmResource, Namespace: "default", Body: []byte(body), FieldManager: "kubectl-client-side-apply"})
		next := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"keep":"5"}}`
		if _, err := w.do(p, apply("cm", "alice", "c",
			next)); fmt.Sprint(err) != `Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using v1: .data.keep` {
			t.Errorf("%v", err)
		}
		got := w.must(p, apply("cm", "kubectl", "c", next)).(*corev1.ConfigMap)
		if got.Data["keep"] != "5" || !strings.Contains(got.Annotations["kubectl.kubernetes.io/last-applied-configuration"], `"keep":"5"`) {
			t.Errorf("%v %v", got.Data, got.Annotations)
		}
		_, err := w.do(p, apply("cm", "kubectl", "c", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"other":"9"}}`))
		if fmt.Sprint(err) != `Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using v1: .data.other` {
			t.Errorf("%v", err)
		}
	})
}
