package apiserver

import (
	"fmt"
	"strings"
	"testing"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// What a Pod's spec may not say, in upstream's words.
func TestPodSpecRefused(t *testing.T) {
	container := `"containers":[{"name":"web","image":"nginx"}]`
	for _, c := range []struct{ spec, want string }{
		{container + `,"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"labelSelector":{"matchLabels":{"a":"b"}}}]}}`,
			`[spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Required value: can not be empty, spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Invalid value: "": name part must be non-empty`},
		{container + `,"affinity":{"podAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":101,"podAffinityTerm":{"topologyKey":"zone"}}]}}`,
			`spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 101: must be in the range 1-100`},
		{container + `,"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[]}}}`,
			`spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: must have at least one node selector term`},
		{container + `,"topologySpreadConstraints":[{"maxSkew":0,"topologyKey":"zone","whenUnsatisfiable":"ScheduleAnyway","minDomains":2}]`,
			`[spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero, spec.topologySpreadConstraints[0].minDomains: Invalid value: 2: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway]`},
		{container + `,"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"Perhaps"}]`,
			`spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: "Perhaps": supported values: "DoNotSchedule", "ScheduleAnyway"`},
		{container + `,"volumes":[{"name":"v","emptyDir":{},"configMap":{"name":"c"}}]`,
			`spec.volumes[0].configMap: Forbidden: may not specify more than 1 volume type`},
		{container + `,"volumes":[{"name":"v","secret":{}}]`, `spec.volumes[0].secret.secretName: Required value`},
		{container + `,"volumes":[{"name":"v","configMap":{"name":"c","defaultMode":777,"items":[{"key":"k","path":"../up"}]}}]`,
			`[spec.volumes[0].configMap.defaultMode: Invalid value: 777: must be a number between 0 and 0777 (octal), both inclusive, spec.volumes[0].configMap.items[0].path: Invalid value: "../up": must not contain '..']`},
		{container + `,"volumes":[{"name":"v","image":{"pullPolicy":"Sometimes"}}]`, `[spec.volumes[0].image.reference: Required value, ` +
			`spec.volumes[0].image.pullPolicy: Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"]`},
		{container + `,"volumes":[{"name":"v","hostPath":{"path":""}}]`, `spec.volumes[0].hostPath.path: Required value`},
		{container + `,"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":""}}]`, `spec.volumes[0].persistentVolumeClaim.claimName: Required value`},
		{container + `,"volumes":[{"name":"v","downwardAPI":{"items":[{"path":"x"}]}}]`,
			`spec.volumes[0].downwardAPI.items[0]: Required value: one of fieldRef and resourceFieldRef is required`},
		{container + `,"initContainers":[{"name":"i","image":"x","readinessProbe":{"tcpSocket":{"port":1}}}]`,
			`spec.initContainers[0].readinessProbe: Forbidden: may not be set for init containers without restartPolicy=Always`},
		{container + `,"initContainers":[{"name":"i","image":"x","restartPolicy":"Sometimes"}]`,
			`spec.initContainers[0].restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "Never", "OnFailure"`},
		{`"containers":[{"name":"web","image":"nginx","envFrom":[{}]}]`,
			"spec.containers[0].envFrom[0]: Invalid value: \"\": must specify one of: `configMapRef` or `secretRef`"},
		{`"containers":[{"name":"web","image":"nginx","lifecycle":{"preStop":{}}}]`,
			`spec.containers[0].lifecycle.preStop: Required value: must specify a handler type`},
		{`"containers":[{"name":"web","image":"nginx","lifecycle":{"preStop":{"sleep":{"seconds":60}}}}]`,
			`spec.containers[0].lifecycle.preStop.sleep: Invalid value: 60: must be non-negative and less than terminationGracePeriodSeconds (30)`},
		{`"containers":[{"name":"a","image":"x","ports":[{"containerPort":1,"hostPort":80}]},{"name":"b","image":"x","ports":[{"containerPort":2,"hostPort":80}]}]`,
			`spec.containers[1].ports[0].hostPort: Duplicate value: "TCP//80"`},
		{`"containers":[{"name":"web","image":"nginx","securityContext":{"runAsUser":-1}}]`,
			`spec.containers[0].securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive`},
		{container + `,"securityContext":{"seccompProfile":{"type":"Localhost"},"appArmorProfile":{"type":"Localhost"}}`,
			`[spec.securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost, ` +
				`spec.securityContext.appArmorProfile.localhostProfile: Required value: must be set when AppArmor type is Localhost]`},
		{`"containers":[{"name":"web","image":"nginx","securityContext":{"seccompProfile":{"type":"Localhost","localhostProfile":"/a"}}}]`,
			`spec.containers[0].securityContext.seccompProfile.localhostProfile: Invalid value: "/a": must be a relative path`},
		{`"containers":[{"name":"web","image":"nginx","securityContext":{"procMount":"Unmasked"}}]`,
			"spec.containers[0].securityContext.procMount: Invalid value: \"Unmasked\": `hostUsers` must be false to use `Unmasked`"},
		{container + `,"dnsPolicy":"None"`, "spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None"},
	} {
		w := newWorld(t, trace.Off)
		w.run(func(p *sim.Proc) {
			_, err := w.do(p, post("pods", `{"metadata":{"name":"p"},"spec":{`+c.spec+`}}`))
			if _, after, _ := strings.Cut(fmt.Sprint(err), " is invalid: "); !strings.HasPrefix(after, c.want) {
				t.Errorf("%s\ngot  %v\nwant %s", c.spec, err, c.want)
			}
		})
	}
}

// Who replaces a Pod's tolerations leaves it those that every Pod has.
func TestDefaultTolerationsStay(t *testing.T) {
	w := newWorld(t, trace.Off)
	w.run(func(p *sim.Proc) {
		w.must(p, post("pods", `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"web","image":"nginx"}]}}`))
		changed, err := w.do(p, patchPod("p", `{"spec":{"tolerations":[{"key":"own","operator":"Exists","effect":"NoSchedule"}]}}`))
		if err != nil {
			t.Fatal(err)
		}
		if n := len(changed.(*corev1.Pod).Spec.Tolerations); n != 3 {
			t.Errorf("it has %d tolerations", n)
		}
	})
}
