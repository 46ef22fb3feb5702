package printers

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api"
)

var now = time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC)

// row is an object's cells, as they would stand in a line.
func row(t *testing.T, text string) string {
	t.Helper()
	obj, err := api.DecodeStrict([]byte(text), nil)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	table := TableOf(obj, now)
	var cells []string
	for i, c := range table.Rows[0].Cells {
		cells = append(cells, fmt.Sprint(c))
		if i >= len(table.ColumnDefinitions) {
			t.Errorf("%s: %d cells for %d columns", text, len(table.Rows[0].Cells), len(table.ColumnDefinitions))
		}
	}
	return strings.Join(cells, " | ")
}

// TestEveryKind: each kind has as many cells as columns, also when it is empty,
// and those whose columns are the plain ones are these.
func TestEveryKind(t *testing.T) {
	var bare []string
	for _, k := range api.AllKinds() {
		if k.NewList == nil {
			continue
		}
		obj := k.New()
		obj.SetName("x")
		table := TableOf(obj, now)
		if len(table.Rows) != 1 || len(table.Rows[0].Cells) != len(table.ColumnDefinitions) {
			t.Errorf("%s: %d cells, %d columns", k.Kind, len(table.Rows[0].Cells), len(table.ColumnDefinitions))
		}
		if n := len(TableOfList(k.NewList(), now).Rows); n != 0 {
			t.Errorf("%s: an empty list has %d rows", k.Kind, n)
		}
		for i, c := range table.ColumnDefinitions {
			ok := false
			switch table.Rows[0].Cells[i].(type) {
			case string:
				ok = c.Type == "string" || c.Type == "date"
			case int64:
				ok = c.Type == "integer" || c.Type == "string"
			case bool:
				ok = c.Type == "boolean" || c.Type == "string"
			}
			if !ok && !(k.Kind == "CronJob" && c.Name == "Suspend") { // upstream calls it a boolean and writes a text
				t.Errorf("%s: column %s is a %s, and holds a %T", k.Kind, c.Name, c.Type, table.Rows[0].Cells[i])
			}
		}
		if _, own := columns[k.GroupKind().String()]; !own {
			bare = append(bare, k.Kind)
		}
	}
	if got := strings.Join(bare, " "); got != "LimitRange CustomResourceDefinition ClusterRole Role CSIStorageCapacity" {
		t.Errorf("without columns of their own: %s", got)
	}
	for name := range columns {
		found := false
		for _, k := range api.AllKinds() {
			found = found || k.GroupKind().String() == name
		}
		if !found {
			t.Errorf("columns for %s, which is not served", name)
		}
	}
}

// TestPodStatus is what STATUS, READY and RESTARTS say of a Pod.
func TestPodStatus(t *testing.T) {
	const (
		running    = `{"name":"c","ready":true,"started":true,"restartCount":0,"image":"","imageID":"","state":{"running":{"startedAt":"2026-01-15T08:59:00Z"}}}`
		waiting    = `{"name":"c","ready":false,"restartCount":4,"image":"","imageID":"","state":{"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"exitCode":1,"finishedAt":"2026-01-15T08:59:30Z"}}}`
		done       = `{"name":"c","ready":false,"restartCount":0,"image":"","imageID":"","state":{"terminated":{"exitCode":0,"reason":"Completed"}}}`
		failed     = `{"name":"c","ready":false,"restartCount":0,"image":"","imageID":"","state":{"terminated":{"exitCode":3}}}`
		killed     = `{"name":"c","ready":false,"restartCount":0,"image":"","imageID":"","state":{"terminated":{"exitCode":137,"signal":9}}}`
		creating   = `{"name":"c","ready":false,"restartCount":0,"image":"","imageID":"","state":{"waiting":{"reason":"PodInitializing"}}}`
		isReady    = `{"type":"Ready","status":"True"}`
		isInit     = `{"type":"Initialized","status":"True"}`
		isGated    = `{"type":"PodScheduled","status":"False","reason":"SchedulingGated"}`
		oneInit    = `"initContainers":[{"name":"i1"},{"name":"i2"}],`
		oneSidecar = `"initContainers":[{"name":"c","restartPolicy":"Always"}],`
	)
	for _, test := range []struct{ name, meta, spec, status, want string }{
		{"new", ``, ``, `"phase":"Pending"`, "0/1 | Pending | 0"},
		{"running", ``, ``, `"phase":"Running","containerStatuses":[` + running + `]`, "1/1 | Running | 0"},
		{"crashing", ``, ``, `"phase":"Running","containerStatuses":[` + waiting + `]`, "0/1 | CrashLoopBackOff | 4 (30s ago)"},
		{"done", ``, ``, `"phase":"Succeeded","containerStatuses":[` + done + `]`, "0/1 | Completed | 0"},
		{"failed", ``, ``, `"phase":"Failed","containerStatuses":[` + failed + `]`, "0/1 | ExitCode:3 | 0"},
		{"killed", ``, ``, `"phase":"Failed","containerStatuses":[` + killed + `]`, "0/1 | Signal:9 | 0"},
		{"evicted", ``, ``, `"phase":"Failed","reason":"Evicted"`, "0/1 | Evicted | 0"},
		{"gated", ``, ``, `"phase":"Pending","conditions":[` + isGated + `]`, "0/1 | SchedulingGated | 0"},
		{"going", `,"deletionTimestamp":"2026-01-15T09:00:30Z"`, ``, `"phase":"Running","containerStatuses":[` + running + `]`, "1/1 | Terminating | 0"},
		{"going, but done", `,"deletionTimestamp":"2026-01-15T09:00:30Z"`, ``, `"phase":"Succeeded","containerStatuses":[` + done + `]`, "0/1 | Completed | 0"},
		{"lost", `,"deletionTimestamp":"2026-01-15T09:00:30Z"`, ``, `"phase":"Running","reason":"NodeLost"`, "0/1 | Unknown | 0"},
		{"one of two done, ready", ``, ``, `"phase":"Running","conditions":[` + isReady + `],"containerStatuses":[` + done + `,` + running + `]`,
			"1/1 | Running | 0"},
		{"one of two done, not ready", ``, ``, `"phase":"Running","containerStatuses":[` + done + `,` + running + `]`, "1/1 | NotReady | 0"},
		{"one done, one failed", ``, ``, `"phase":"Running","containerStatuses":[` + done + `,` + failed + `]`, "0/1 | ExitCode:3 | 0"},
		{"initializing", ``, oneInit, `"phase":"Pending","initContainerStatuses":[` + done + `,` + running + `],"containerStatuses":[` + creating + `]`,
			"0/1 | Init:1/2 | 0"},
		{"init fails", ``, oneInit, `"phase":"Pending","initContainerStatuses":[` + failed + `],"containerStatuses":[` + creating + `]`,
			"0/1 | Init:ExitCode:3 | 0"},
		{"init crashes", ``, oneInit, `"phase":"Pending","initContainerStatuses":[` + waiting + `]`, "0/1 | Init:CrashLoopBackOff | 4 (30s ago)"},
		{"initialized", ``, oneInit, `"phase":"Pending","conditions":[` + isInit + `],"initContainerStatuses":[` + done + `,` + done +
			`],"containerStatuses":[` + creating + `]`, "0/1 | PodInitializing | 0"},
		{"with a sidecar", ``, oneSidecar, `"phase":"Running","initContainerStatuses":[` + running + `],"containerStatuses":[` + running + `]`,
			"2/2 | Running | 0"},
	} {
		got := row(t, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","creationTimestamp":"2026-01-15T08:55:00Z"`+test.meta+`},"spec":{`+test.spec+
			`"containers":[{"name":"c"}]},"status":{`+test.status+`}}`)
		if want := "p | " + test.want + " | 5m | <none> | <none> | <none> | <none>"; got != want {
			t.Errorf("%s: got %s, want %s", test.name, got, want)
		}
	}
}

// TestRows is one object of many kinds.
func TestRows(t *testing.T) {
	const meta = `"metadata":{"name":"x","creationTimestamp":"2026-01-15T08:00:00Z"}`
	const template = `"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i:1"},{"name":"d","image":"j"}]}}`
	for text, want := range map[string]string{
		`{"apiVersion":"apps/v1","kind":"Deployment",` + meta + `,"spec":{"replicas":4,"selector":{"matchLabels":{"a":"b"}},` + template +
			`},"status":{"readyReplicas":3,"updatedReplicas":2,"availableReplicas":1}}`: `x | 3/4 | 2 | 1 | 60m | c,d | i:1,j | a=b`,
		`{"apiVersion":"apps/v1","kind":"StatefulSet",` + meta + `,"spec":{"replicas":4,"serviceName":"","selector":{},` + template +
			`},"status":{"readyReplicas":3,"replicas":4}}`: `x | 3/4 | 60m | c,d | i:1,j`,
		`{"apiVersion":"apps/v1","kind":"DaemonSet",` + meta + `,"spec":{"selector":{"matchLabels":{"a":"b"}},` + template +
			`},"status":{"desiredNumberScheduled":3,"currentNumberScheduled":2,"numberReady":1,"numberMisscheduled":0}}`: `x | 3 | 2 | 1 | 0 | 0 | <none> | 60m | c,d | i:1,j | a=b`,
		`{"apiVersion":"batch/v1","kind":"Job",` + meta + `,"spec":{"completions":3,` + template +
			`},"status":{"succeeded":1,"startTime":"2026-01-15T08:59:00Z"}}`: `x | Running | 1/3 | 60s | 60m | c,d | i:1,j | <none>`,
		`{"apiVersion":"batch/v1","kind":"Job",` + meta + `,"spec":{"parallelism":3,` + template +
			`},"status":{"conditions":[{"type":"FailureTarget","status":"True"},{"type":"Failed","status":"True"}]}}`: `x | Failed | 0/1 of 3 |  | 60m | c,d | i:1,j | <none>`,
		`{"apiVersion":"batch/v1","kind":"CronJob",` + meta + `,"spec":{"schedule":"* * * * *","suspend":true,"jobTemplate":{"spec":{` + template +
			`}}},"status":{"lastScheduleTime":"2026-01-15T08:59:00Z"}}`: `x | * * * * * | <none> | True | 0 | 60s | 60m | c,d | i:1,j | <none>`,
		`{"apiVersion":"v1","kind":"Service",` + meta + `,"spec":{"type":"NodePort","clusterIP":"10.0.0.1","clusterIPs":["10.0.0.1"],"ports":[{"port":80,"protocol":"TCP","nodePort":30080,"targetPort":1},{"port":53,"protocol":"UDP","targetPort":1}]}}`: `x | NodePort | 10.0.0.1 | <none> | 80:30080/TCP,53/UDP | 60m | <none>`,
		`{"apiVersion":"v1","kind":"Service",` + meta + `,"spec":{"type":"LoadBalancer"}}`:                      `x | LoadBalancer | <none> | <pending> | <none> | 60m | <none>`,
		`{"apiVersion":"v1","kind":"Service",` + meta + `,"spec":{"type":"ExternalName","externalName":"a.b"}}`: `x | ExternalName | <none> | a.b | <none> | 60m | <none>`,
		`{"apiVersion":"v1","kind":"Node",` + meta + `,"spec":{"unschedulable":true},"status":{"conditions":[{"type":"Ready","status":"False"}],"nodeInfo":{"kubeletVersion":"v1","machineID":"","systemUUID":"","bootID":"","kernelVersion":"6","osImage":"","containerRuntimeVersion":"","kubeProxyVersion":"","operatingSystem":"","architecture":"amd64"}}}`: `x | NotReady,SchedulingDisabled | <none> | 60m | v1 | <none> | <none> | <unknown> | 6 (amd64) | <unknown>`,
		`{"apiVersion":"policy/v1","kind":"PodDisruptionBudget",` + meta +
			`,"spec":{"maxUnavailable":"50%"},"status":{"disruptionsAllowed":2,"currentHealthy":0,"desiredHealthy":0,"expectedPods":0}}`: `x | N/A | 50% | 2 | 60m`,
		`{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler",` + meta +
			`,"spec":{"maxReplicas":5,"minReplicas":2,"scaleTargetRef":{"kind":"Deployment","name":"web"},"metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":50}}}]},"status":{"desiredReplicas":2,"currentReplicas":2,"currentMetrics":[{"type":"Resource","resource":{"name":"cpu","current":{"averageUtilization":75,"averageValue":"75m"}}}]}}`: `x | Deployment/web | cpu: 75%/50% | 2 | 5 | 2 | 60m`,
		`{"apiVersion":"v1","kind":"ResourceQuota",` + meta +
			`,"spec":{},"status":{"hard":{"pods":"10","limits.cpu":"2"},"used":{"pods":"3","limits.cpu":"1500m"}}}`: `x | pods: 3/10 | limits.cpu: 1500m/2 | 60m`,
		`{"apiVersion":"v1","kind":"PersistentVolumeClaim",` + meta +
			`,"spec":{"volumeName":"pv","storageClassName":"fast"},"status":{"phase":"Bound","capacity":{"storage":"1Gi"},"accessModes":["ReadWriteMany","ReadWriteOnce"]}}`: `x | Bound | pv | 1Gi | RWO,RWX | fast | <unset> | 60m | <unset>`,
		`{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice",` + meta +
			`,"addressType":"IPv4","ports":[{"port":80}],"endpoints":[{"addresses":["1.1.1.1"]},{"addresses":["1.1.1.2"]},{"addresses":["1.1.1.3"]},{"addresses":["1.1.1.4"]}]}`: `x | IPv4 | 80 | 1.1.1.1,1.1.1.2,1.1.1.3 + 1 more... | 60m`,
		`{"apiVersion":"v1","kind":"Endpoints",` + meta + `,"subsets":[{"addresses":[{"ip":"::1"}],"ports":[{"port":80}]}]}`: `x | [::1]:80 | 60m`,
		`{"apiVersion":"networking.k8s.io/v1","kind":"Ingress",` + meta +
			`,"spec":{"ingressClassName":"n","rules":[{"host":"a"},{},{"host":"b"}],"tls":[{}]}}`: `x | n | a,b |  | 80, 443 | 60m`,
		`{"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass",` + meta +
			`,"value":7,"globalDefault":true,"preemptionPolicy":"Never"}`: `x | 7 | true | 60m | Never`,
		`{"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"x","creationTimestamp":"2026-01-15T08:00:00Z","annotations":{"storageclass.kubernetes.io/is-default-class":"true"}},"provisioner":"p","volumeBindingMode":"WaitForFirstConsumer"}`: `x (default) | p | Delete | WaitForFirstConsumer | false | 60m`,
		`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding",` + meta +
			`,"roleRef":{"apiGroup":"","kind":"Role","name":"r"},"subjects":[{"kind":"ServiceAccount","namespace":"n","name":"s"},{"kind":"User","name":"u"}]}`: `x | Role/r | 60m | u |  | n/s`,
		`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role",` + meta +
			`,"rules":[]}`: `x | 2026-01-15T08:00:00Z`,
		`{"apiVersion":"v1","kind":"Event",` + meta + `,"involvedObject":{"kind":"Pod","name":"p","fieldPath":"spec"},"reason":"R","message":" m ","type":"Normal","source":{"component":"kubelet","host":"n"},"count":3,"firstTimestamp":"2026-01-15T08:58:00Z","lastTimestamp":"2026-01-15T08:59:00Z"}`: `60s | Normal | R | pod/p | spec | kubelet, n | m | 2m | 3 | x`,
		`{"apiVersion":"v1","kind":"Secret",` + meta + `,"type":"Opaque","data":{"a":"","b":""}}`: `x | Opaque | 2 | 60m`,
		`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"}}`:                          `x | 0 | <unknown>`,
	} {
		if got := row(t, text); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, got, want)
		}
	}
}
