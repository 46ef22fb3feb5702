package apiserver

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"kubewalk/playground/api"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

const template = `"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"web","image":"nginx"}]}}`

func createRaw(resource, body string) *client.Request {
	return &client.Request{Verb: client.Create, Resource: api.Resolve(resource).GroupVersionResource(), Namespace: "default", Body: []byte(body)}
}

// TestWordsOfApps checks what a real server says to mistakes in workloads.
func TestWordsOfApps(t *testing.T) {
	workload := func(more string) string {
		return `{"metadata":{"name":"web"},"spec":{` + template + more + `}}`
	}
	for _, c := range []struct{ resource, body, want string }{
		{"deployments", workload(`,"strategy":{"type":"Recreate","rollingUpdate":{"maxSurge":1}}`),
			"spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"},
		{"deployments", workload(`,"strategy":{"rollingUpdate":{"maxSurge":0,"maxUnavailable":"0%"}}`),
			"spec.strategy.rollingUpdate.maxUnavailable: Invalid value: \"0%\": may not be 0 when `maxSurge` is 0"},
		{"deployments", workload(`,"strategy":{"rollingUpdate":{"maxSurge":"x","maxUnavailable":"101%"}}`),
			`[spec.strategy.rollingUpdate.maxSurge: Invalid value: "x": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%'), spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%]`},
		{"deployments", workload(`,"strategy":{"type":"Rolling"}`),
			`spec.strategy: Unsupported value: {"type":"Rolling"}: supported values: "Recreate", "RollingUpdate"`},
		{"deployments", workload(`,"progressDeadlineSeconds":5,"minReadySeconds":5`),
			"spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds"},
		{"daemonsets", workload(`,"updateStrategy":{"rollingUpdate":{"maxSurge":1,"maxUnavailable":1}}`),
			"spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero"},
		{"daemonsets", workload(`,"updateStrategy":{"rollingUpdate":{"maxUnavailable":0}}`),
			"spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0"},
		{"daemonsets", workload(`,"updateStrategy":{"type":"Never"}`),
			`spec.updateStrategy: Unsupported value: {"type":"Never"}: supported values: "RollingUpdate", "OnDelete"`},
		{"daemonsets", `{"metadata":{"name":"web"},"spec":{"selector":{},"template":{"spec":{"containers":[{"name":"web","image":"nginx"}]}}}}`,
			"spec.selector: Invalid value: {}: empty selector is invalid for daemonset"},
		{"statefulsets", workload(`,"podManagementPolicy":"Random"`), `spec.podManagementPolicy: Invalid value: "Random": must be 'OrderedReady' or 'Parallel'`},
		{"statefulsets", workload(`,"updateStrategy":{"type":"OnDelete","rollingUpdate":{"partition":1}}`),
			`spec.updateStrategy.rollingUpdate: Invalid value: {"partition":1}: only allowed for updateStrategy 'RollingUpdate'`},
		{"statefulsets", workload(`,"updateStrategy":{"rollingUpdate":{"partition":-1}}`),
			"spec.updateStrategy.rollingUpdate.partition: Invalid value: -1: must be greater than or equal to 0"},
		{"statefulsets", workload(`,"persistentVolumeClaimRetentionPolicy":{"whenScaled":"Keep"}`),
			`spec.persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value: "Keep": supported values: "Retain", "Delete"`},
		{"statefulsets", workload(`,"replicas":-1`), "spec.replicas: Invalid value: -1: must be greater than or equal to 0"},
		{"controllerrevisions", `{"metadata":{"name":"web"},"revision":1}`, "data: Required value: data is mandatory"},
		{"replicationcontrollers",
			`{"metadata":{"name":"web"},"spec":{"selector":{"a":"c"},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"web","image":"nginx"}]}}}}`, "spec.template.metadata.labels: Invalid value: {\"a\":\"b\"}: `selector` does not match template `labels`"},
		{"podtemplates", `{"metadata":{"name":"web"},"template":{"spec":{}}}`, "template.spec.containers: Required value"},
	} {
		w := newWorld(t, trace.Off)
		w.run(func(p *sim.Proc) {
			_, err := w.do(p, createRaw(c.resource, c.body))
			_, after, _ := strings.Cut(fmt.Sprint(err), " is invalid: ")
			if !strings.HasPrefix(after, c.want) {
				t.Errorf("%s %s\ngot  %v\nwant %s", c.resource, c.body, err, c.want)
			}
		})
	}
}

// What a workload does not say is filled in, and what the server counts is counted.
func TestDefaultsOfApps(t *testing.T) {
	w := newWorld(t, trace.Off)
	w.run(func(p *sim.Proc) {
		body := `{"metadata":{"name":"web"},"spec":{` + template + `,"serviceName":"web"}}`
		ds := w.must(p, createRaw("daemonsets", `{"metadata":{"name":"web"},"spec":{`+template+`}}`)).(*appsv1.DaemonSet)
		strategy, _ := json.Marshal(ds.Spec.UpdateStrategy)
		if got := string(strategy); got != `{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":1,"maxSurge":0}}` || *ds.Spec.RevisionHistoryLimit != 10 {
			t.Errorf("DaemonSet: updateStrategy %s, revisionHistoryLimit %d", got, *ds.Spec.RevisionHistoryLimit)
		}
		if got := ds.Annotations[appsv1.DeprecatedTemplateGeneration]; got != "1" || ds.Generation != 1 {
			t.Errorf("DaemonSet: template generation %q, generation %d", got, ds.Generation)
		}
		ds = ds.DeepCopy()
		ds.Spec.Template.Spec.Containers[0].Image = "nginx:1.28"
		ds.Annotations = nil
		dsResource := api.Resolve("daemonsets").GroupVersionResource()
		ds = w.must(p, update(dsResource, "", ds)).(*appsv1.DaemonSet)
		if got := ds.Annotations[appsv1.DeprecatedTemplateGeneration]; got != "2" || ds.Generation != 2 {
			t.Errorf("DaemonSet with another template: template generation %q, generation %d", got, ds.Generation)
		}
		set := w.must(p, createRaw("statefulsets", body)).(*appsv1.StatefulSet)
		strategy, _ = json.Marshal(set.Spec.UpdateStrategy)
		policy, _ := json.Marshal(set.Spec.PersistentVolumeClaimRetentionPolicy)
		if a, b := string(strategy), string(policy); a != `{"type":"RollingUpdate","rollingUpdate":{"partition":0}}` ||
			b != `{"whenDeleted":"Retain","whenScaled":"Retain"}` ||
			set.Spec.PodManagementPolicy != "OrderedReady" || *set.Spec.Replicas != 1 || *set.Spec.RevisionHistoryLimit != 10 {
			t.Errorf("StatefulSet: updateStrategy %s, retention %s, %+v", a, b, set.Spec)
		}
		rc := w.must(p, createRaw("replicationcontrollers",
			`{"metadata":{"name":"web"},"spec":{"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"web","image":"nginx"}]}}}}`)).(*corev1.ReplicationController)
		if rc.Spec.Selector["a"] != "b" || rc.Labels["a"] != "b" || *rc.Spec.Replicas != 1 {
			t.Errorf("ReplicationController: selector %v, labels %v, replicas %d", rc.Spec.Selector, rc.Labels, *rc.Spec.Replicas)
		}
	})
}
