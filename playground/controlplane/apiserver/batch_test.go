package apiserver

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"kubewalk/playground/api"
	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

const busy = `"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"work","image":"busybox"}]}}`

func jobBody(spec string) string {
	return `{"metadata":{"name":"work"},"spec":{` + spec + busy + `}}`
}

func cronBody(spec string) string {
	return `{"metadata":{"name":"hello"},"spec":{` + spec + `"jobTemplate":{"spec":{` + busy + `}}}}`
}

func hpaBody(spec string) string {
	return `{"metadata":{"name":"web"},"spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"},` + spec + `}}`
}

// TestBatchWords checks what upstream's validation of these kinds says.
func TestBatchWords(t *testing.T) {
	cpu := func(target string) string {
		return hpaBody(`"maxReplicas":3,"metrics":[{"type":"Resource","resource":{"name":"cpu","target":` + target + `}}]`)
	}
	rule := func(rule string) string { return jobBody(`"podFailurePolicy":{"rules":[` + rule + `]},`) }
	for _, c := range []struct{ resource, body, want string }{
		{"jobs", `{"metadata":{"name":"work"},"spec":{"template":{"spec":{"containers":[{"name":"work","image":"busybox"}]}}}}`,
			`spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"`},
		{"jobs", jobBody(`"completions":-1,`), `spec.completions: Invalid value: -1: must be greater than or equal to 0`},
		{"jobs", jobBody(`"parallelism":-1,"backoffLimit":-2,`),
			`[spec.parallelism: Invalid value: -1: must be greater than or equal to 0, spec.backoffLimit: Invalid value: -2: must be greater than or equal to 0]`},
		{"jobs", jobBody(`"completionMode":"Indexed","parallelism":2,`), `spec.completions: Required value: when completion mode is Indexed`},
		{"jobs", jobBody(`"completionMode":"Sorted",`), `spec.completionMode: Unsupported value: "Sorted": supported values: "NonIndexed", "Indexed"`},
		{"jobs", jobBody(`"backoffLimitPerIndex":1,`), `spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode`},
		{"jobs", jobBody(`"completionMode":"Indexed","completions":3,"maxFailedIndexes":4,"backoffLimitPerIndex":1,`),
			`spec.maxFailedIndexes: Invalid value: 4: must be less than or equal to completions`},
		{"jobs", jobBody(`"maxFailedIndexes":1,"completionMode":"Indexed","completions":3,`),
			`spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified`},
		{"jobs", jobBody(`"successPolicy":{"rules":[{"succeededCount":1}]},`),
			`spec.successPolicy: Invalid value: {"rules":[{"succeededCount":1}]}: requires indexed completion mode`},
		{"jobs", jobBody(`"completionMode":"Indexed","completions":3,"successPolicy":{"rules":[{"succeededIndexes":"0-5"}]},`),
			`spec.successPolicy.rules[0].succeededIndexes: Invalid value: "0-5": error parsing succeededIndexes: too large index: "5"`},
		{"jobs", jobBody(`"completionMode":"Indexed","completions":3,"successPolicy":{"rules":[{"succeededCount":4}]},`),
			`spec.successPolicy.rules[0].succeededCount: Invalid value: 4: must be less than or equal to 3 (the number of specified completions)`},
		{"jobs", jobBody(`"selector":{"matchLabels":{"a":"b"}},`), "[spec.selector: Invalid value: "},
		{"jobs", rule(`{"action":"FailJob"}`), `spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required`},
		{"jobs", rule(`{"action":"FailIndex","onExitCodes":{"operator":"In","values":[1]}}`),
			`spec.podFailurePolicy.rules[0].action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set`},
		{"jobs", rule(`{"action":"Give up","onExitCodes":{"operator":"In","values":[2,0,2]}}`),
			`[spec.podFailurePolicy.rules[0].action: Unsupported value: "Give up": supported values: "Count", "FailIndex", "FailJob", "Ignore", spec.podFailurePolicy.rules[0].onExitCodes.values[1]: Invalid value: 0: must not be 0 for the In operator, spec.podFailurePolicy.rules[0].onExitCodes.values[2]: Duplicate value: 2, spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: [2,0,2]: must be ordered]`},
		{"jobs", jobBody(`"podReplacementPolicy":"Never",`),
			`spec.podReplacementPolicy: Unsupported value: "Never": supported values: "Failed", "TerminatingOrFailed"`},
		{"jobs", `{"metadata":{"name":"` + strings.Repeat("a", 62) + `"},"spec":{"completionMode":"Indexed","completions":20,` + busy + `}}`,
			`metadata.name: Invalid value: "` + strings.Repeat("a", 62) + `": will not able to create pod with invalid DNS label: ` + strings.Repeat("a", 62) + `-19`},
		{"cronjobs", cronBody(``), `spec.schedule: Required value`},
		{"cronjobs", cronBody(`"schedule":"61 * * * *",`), `spec.schedule: Invalid value: "61 * * * *": end of range (61) above maximum (59): 61`},
		{"cronjobs", cronBody(`"schedule":"TZ=UTC * * * * *",`),
			`spec.schedule: Invalid value: "TZ=UTC * * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead`},
		{"cronjobs", cronBody(`"schedule":"* * * * *","timeZone":"Mars",`), `spec.timeZone: Invalid value: "Mars": unknown time zone Mars`},
		{"cronjobs", cronBody(`"schedule":"* * * * *","timeZone":"local",`),
			`spec.timeZone: Invalid value: "local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones`},
		{"cronjobs", cronBody(`"schedule":"* * * * *","concurrencyPolicy":"Queue",`),
			`spec.concurrencyPolicy: Unsupported value: "Queue": supported values: "Allow", "Forbid", "Replace"`},
		{"cronjobs", `{"metadata":{"name":"` + strings.Repeat("a", 53) + `"},"spec":{"schedule":"* * * * *","jobTemplate":{"spec":{` + busy + `}}}}`,
			`metadata.name: Invalid value: "` + strings.Repeat("a", 53) + `": must be no more than 52 characters`},
		{"poddisruptionbudgets", `{"metadata":{"name":"web"},"spec":{"minAvailable":1,"maxUnavailable":"10%"}}`,
			`spec: Invalid value: {"MinAvailable":1,"Selector":null,"MaxUnavailable":"10%","UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set`},
		{"poddisruptionbudgets", `{"metadata":{"name":"web"},"spec":{"minAvailable":"half"}}`,
			`spec.minAvailable: Invalid value: "half": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')`},
		{"poddisruptionbudgets", `{"metadata":{"name":"web"},"spec":{"maxUnavailable":"101%"}}`,
			`spec.maxUnavailable: Invalid value: "101%": must not be greater than 100%`},
		{"poddisruptionbudgets", `{"metadata":{"name":"web"},"spec":{"maxUnavailable":-1}}`,
			`spec.maxUnavailable: Invalid value: -1: must be greater than or equal to 0`},
		{"poddisruptionbudgets", `{"metadata":{"name":"web"},"spec":{"unhealthyPodEvictionPolicy":"Never"}}`,
			`spec.unhealthyPodEvictionPolicy: Unsupported value: "Never": supported values: "AlwaysAllow", "IfHealthyBudget"`},
		{"horizontalpodautoscalers", hpaBody(`"maxReplicas":0`),
			"[spec.maxReplicas: Invalid value: 0: must be greater than 0, spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`]"},
		{"horizontalpodautoscalers", hpaBody(`"minReplicas":0,"maxReplicas":3`), `spec.minReplicas: Invalid value: 0: must be greater than or equal to 1`},
		{"horizontalpodautoscalers", `{"metadata":{"name":"web"},"spec":{"scaleTargetRef":{"kind":"","name":"a/b"},"maxReplicas":3}}`,
			`[spec.scaleTargetRef.kind: Required value, spec.scaleTargetRef.name: Invalid value: "a/b": may not contain '/']`},
		{"horizontalpodautoscalers", cpu(`{"type":"Utilization"}`),
			`spec.metrics[0].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization`},
		{"horizontalpodautoscalers", cpu(`{"type":"Utilization","averageUtilization":0}`),
			`spec.metrics[0].resource.target.averageUtilization: Invalid value: 0: must be greater than 0`},
		{"horizontalpodautoscalers",
			hpaBody(`"maxReplicas":3,"metrics":[{"type":"Pods","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":50}}}]`),
			`[spec.metrics[0].pods: Required value: must populate information for the given metric source, spec.metrics[0].resource: Forbidden: must populate the given metric source only]`},
		{"horizontalpodautoscalers",
			hpaBody(`"maxReplicas":3,"behavior":{"scaleUp":{"policies":[{"type":"Pods","value":0,"periodSeconds":2000}],"stabilizationWindowSeconds":4000}}`),
			`[spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: 4000: must be less than or equal to 3600, spec.behavior.scaleUp.policies[0].value: Invalid value: 0: must be greater than zero, spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 2000: must be less than or equal to 1800]`},
	} {
		w := newWorld(t, trace.Off)
		w.run(func(p *sim.Proc) {
			_, err := w.do(p, &client.Request{Verb: client.Create, Resource: api.Resolve(c.resource).GroupVersionResource(), Namespace: "default", Body: []byte(c.body)})
			_, after, _ := strings.Cut(fmt.Sprint(err), " is invalid: ")
			if c.want == "" || after != c.want && !(strings.HasSuffix(c.want, "Invalid value: ") && strings.HasPrefix(after, c.want)) {
				t.Errorf("%s\ngot  %v\nwant %s", c.body, err, c.want)
			}
		})
	}
}

// TestBatchDefaults checks what is filled in, and what the server adds.
func TestBatchDefaults(t *testing.T) {
	spec := func(w *world, p *sim.Proc, resource, body string) string {
		obj := w.must(p, &client.Request{Verb: client.Create, Resource: api.Resolve(resource).GroupVersionResource(), Namespace: "default", Body: []byte(body)})
		text, err := json.Marshal(obj)
		if err != nil {
			t.Fatal(err)
		}
		var out struct{ Spec map[string]json.RawMessage }
		if err := json.Unmarshal(text, &out); err != nil {
			t.Fatal(err)
		}
		delete(out.Spec, "template")
		delete(out.Spec, "jobTemplate")
		delete(out.Spec, "selector")
		text, _ = json.Marshal(out.Spec)
		return string(text)
	}
	for _, c := range []struct{ resource, body, want string }{
		{"jobs", jobBody(``), `{"backoffLimit":6,"completionMode":"NonIndexed","completions":1,"manualSelector":false,"parallelism":1,"podReplacementPolicy":"TerminatingOrFailed","suspend":false}`},
		{"jobs", jobBody(`"parallelism":3,`),
			`{"backoffLimit":6,"completionMode":"NonIndexed","manualSelector":false,"parallelism":3,"podReplacementPolicy":"TerminatingOrFailed","suspend":false}`},
		{"jobs", jobBody(`"completions":3,"completionMode":"Indexed","backoffLimitPerIndex":1,"podFailurePolicy":{"rules":[{"action":"Ignore","onPodConditions":[{"type":"DisruptionTarget"}]}]},`),
			`{"backoffLimit":2147483647,"backoffLimitPerIndex":1,"completionMode":"Indexed","completions":3,"manualSelector":false,"parallelism":1,"podFailurePolicy":{"rules":[{"action":"Ignore","onPodConditions":[{"type":"DisruptionTarget","status":"True"}]}]},"podReplacementPolicy":"Failed","suspend":false}`},
		{"cronjobs", cronBody(`"schedule":"@hourly",`),
			`{"concurrencyPolicy":"Allow","failedJobsHistoryLimit":1,"schedule":"@hourly","successfulJobsHistoryLimit":3,"suspend":false}`},
		{"horizontalpodautoscalers", hpaBody(`"maxReplicas":3,"behavior":{"scaleDown":{"stabilizationWindowSeconds":60}}`),
			`{"behavior":{"scaleUp":{"stabilizationWindowSeconds":0,"selectPolicy":"Max","policies":[{"type":"Pods","value":4,"periodSeconds":15},{"type":"Percent","value":100,"periodSeconds":15}]},"scaleDown":{"stabilizationWindowSeconds":60,"selectPolicy":"Max","policies":[{"type":"Percent","value":100,"periodSeconds":15}]}},"maxReplicas":3,"metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":80}}}],"minReplicas":1,"scaleTargetRef":{"kind":"Deployment","name":"web","apiVersion":"apps/v1"}}`},
	} {
		w := newWorld(t, trace.Off)
		w.run(func(p *sim.Proc) {
			if got := spec(w, p, c.resource, c.body); got != c.want {
				t.Errorf("%s\ngot  %s\nwant %s", c.body, got, c.want)
			}
		})
	}
}

// TestJobUpdates: labels and selector are the server's, and hardly anything may change.
func TestJobUpdates(t *testing.T) {
	w := newWorld(t, trace.Off)
	resource := api.Resolve("jobs").GroupVersionResource()
	w.run(func(p *sim.Proc) {
		j := w.must(p, &client.Request{Verb: client.Create, Resource: resource, Namespace: "default", Body: []byte(jobBody(`"suspend":true,`))}).(*batchv1.Job)
		uid := string(j.UID)
		want := fmt.Sprint(map[string]string{"batch.kubernetes.io/controller-uid": uid, "batch.kubernetes.io/job-name": "work", "controller-uid": uid,
			"job-name": "work"})
		if fmt.Sprint(j.Labels) != want || fmt.Sprint(j.Spec.Template.Labels) != want || j.Spec.Selector.MatchLabels["batch.kubernetes.io/controller-uid"] != uid ||
			j.Generation != 1 {
			t.Errorf("labels %v, of Pods %v, selector %v", j.Labels, j.Spec.Template.Labels, j.Spec.Selector)
		}
		for _, c := range []struct{ patch, want string }{
			{`{"spec":{"parallelism":4}}`, ""},
			{`{"spec":{"completions":4}}`, `spec.completions: Invalid value: 4: field is immutable`},
			{`{"spec":{"completionMode":"Indexed"}}`, `spec.completionMode: Invalid value: "Indexed": field is immutable`},
			{`{"spec":{"template":{"spec":{"nodeSelector":{"disk":"fast"}}}}}`, ""}, // it is suspended
			{`{"spec":{"suspend":false}}`, ""},
			{`{"spec":{"template":{"spec":{"nodeSelector":{"disk":"slow"}}}}}`, `spec.template: Invalid value: {`},
			{`{"spec":{"backoffLimit":2,"ttlSecondsAfterFinished":5}}`, ""},
			{`{"spec":{"managedBy":"example.com/queue"}}`, `spec.managedBy: Invalid value: "example.com/queue": field is immutable`},
		} {
			_, err := w.do(p, &client.Request{Verb: client.Patch, Resource: resource, Namespace: "default", Name: "work", PatchType: types.MergePatchType,
				Patch: []byte(c.patch)})
			_, after, _ := strings.Cut(fmt.Sprint(err), " is invalid: ")
			if (c.want == "") != (err == nil) || !strings.HasPrefix(after, c.want) {
				t.Errorf("%s: %v\nwant %s", c.patch, err, c.want)
			}
		}
		finish := `{"status":{"conditions":[{"type":"Complete","status":"True"}]}}`
		_, err := w.do(p, &client.Request{Verb: client.Patch, Resource: resource, Subresource: "status", Namespace: "default", Name: "work",
			PatchType: types.MergePatchType, Patch: []byte(finish)})
		if text := fmt.Sprint(err); !strings.Contains(text, "status.startTime: Required value: startTime is required for finished job") ||
			!strings.Contains(text, "cannot set Complete=True condition without the SuccessCriteriaMet condition") {
			t.Errorf("a Job that ends at once: %v", err)
		}
	})
}
