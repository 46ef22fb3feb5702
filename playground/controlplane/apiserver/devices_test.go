package apiserver

import (
	"fmt"
	"strings"
	"testing"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/resourcev1"
	"kubewalk/playground/controlplane/apiserver/cel"
	_ "kubewalk/playground/controlplane/apiserver/cel/evaluator"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// The kinds of resource.k8s.io are served as upstream's strategies say: pkg/registry/resource/*/strategy.go.
func TestDevices(t *testing.T) {
	opts := DefaultOptions()
	opts.CEL, opts.Devices = true, true
	w := newWorldWith(t, trace.Off, opts)
	w.run(func(p *sim.Proc) {
		body := `{"metadata":{"name":"gpu"},"spec":{"selectors":[{"cel":{"expression":"device.driver == 'gpu.example.com'"}}]}}`
		if class := w.must(p, postRare("deviceclasses", body)).(*resourcev1.DeviceClass); class.Generation != 1 {
			t.Errorf("generation %d", class.Generation)
		}
		claim := w.must(p, postRare("resourceclaims", `{"metadata":{"name":"a"},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu"}}]}},
			"status":{"reservedFor":[{"resource":"pods","name":"p","uid":"u"}]}}`)).(*resourcev1.ResourceClaim)
		if r := claim.Spec.Devices.Requests[0].Exactly; r.AllocationMode != "ExactCount" || r.Count != 1 || len(claim.Status.ReservedFor) > 0 {
			t.Errorf("%+v %+v", r, claim.Status)
		}
		status := &client.Request{Verb: client.Patch, Resource: api.AllKinds().Resolve("resourceclaims").GroupVersionResource(), Namespace: "default", Name: "a",
			Subresource: "status", PatchType: "application/merge-patch+json", Patch: []byte(`{"metadata":{"labels":{"a":"b"}},"status":{
			"allocation":{"devices":{"results":[{"request":"r","driver":"gpu.example.com","pool":"n","device":"x"}]}},
			"devices":[{"driver":"gpu.example.com","pool":"n","device":"x","conditions":[]}]}}`)}
		claim = w.must(p, status).(*resourcev1.ResourceClaim)
		if claim.Status.Allocation == nil || len(claim.Status.Devices) != 1 || len(claim.Labels) > 0 {
			t.Errorf("%+v", claim)
		}
		status.Patch = []byte(`{"status":{"allocation":null}}`)
		if claim = w.must(p, status).(*resourcev1.ResourceClaim); len(claim.Status.Devices) > 0 {
			t.Errorf("of a device that was given back: %+v", claim.Status.Devices)
		}
		for _, c := range []struct{ resource, body, want string }{
			{"deviceclasses", `{"metadata":{"name":"x"},"spec":{"selectors":[{"cel":{"expression":"1"}},{"cel":{"expression":"device.nothing"}}]}}`,
				`DeviceClass.resource.k8s.io "x" is invalid: [spec.selectors[0].cel.expression: Invalid value: "1": must evaluate to bool or the unknown type, not int, ` +
					`spec.selectors[1].cel.expression: Invalid value: "device.nothing": compilation failed: ERROR: <input>:1:7: undefined field 'nothing'`},
			{"resourceclaims", `{"metadata":{"name":"x"},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu","adminAccess":true}}]}}}`,
				"ResourceClaim.resource.k8s.io \"x\" is invalid: spec.devices.requests[0].adminAccess: Forbidden: admin access to devices requires the " +
					"`resource.kubernetes.io/admin-access: true` label on the containing namespace"},
			{"pods", `{"metadata":{"name":"x"},"spec":{"resourceClaims":[{"name":"g"},{"name":"g","resourceClaimName":"a"}],
				"containers":[{"name":"c","image":"i","resources":{"claims":[{"name":"h"},{"name":"g"},{"name":"g"}]}}]}}`,
				"Pod \"x\" is invalid: [spec.resourceClaims[0]: Invalid value: {\"name\":\"g\"}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`, " +
					"spec.resourceClaims[1].name: Duplicate value: \"g\", spec.containers[0].resources.claims[0]: Not found: \"h\": must be one of the names in " +
					"pod.spec.resourceClaims: g, spec.containers[0].resources.claims[2]: Duplicate value: \"g\"]"},
		} {
			if _, err := w.do(p, postRare(c.resource, c.body)); !strings.HasPrefix(fmt.Sprint(err), c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		}
		slice := w.must(p, postRare("resourceslices", `{"metadata":{"name":"s"},"spec":{"driver":"gpu.example.com","nodeName":"n",
			"pool":{"name":"n","generation":1,"resourceSliceCount":1},"devices":[{"name":"x","attributes":{"a":{"string":"b","ints":[1]}},
			"nodeAllocatableResourceMappings":{"cpu":{"allocationMultiplier":"2"}}}]}}`)).(*resourcev1.ResourceSlice)
		if d := slice.Spec.Devices[0]; d.NodeAllocatableResourceMappings != nil || d.Attributes["a"].IntValues != nil || *d.Attributes["a"].StringValue != "b" {
			t.Errorf("what is not served is kept: %+v", d)
		}
		pod := w.must(p, post("pods", `{"metadata":{"name":"p"},"spec":{"schedulingGroup":{"podGroupName":"g"},"resourceClaims":[{"name":"g","resourceClaimTemplateName":"t"}],
			"containers":[{"name":"c","image":"i","lifecycle":{"stopSignal":"SIGINT"},"resources":{"claims":[{"name":"g","request":"r"}]}}]}}`)).(*corev1.Pod)
		if len(pod.Spec.ResourceClaims) != 1 || pod.Spec.SchedulingGroup != nil || pod.Spec.Containers[0].Lifecycle != nil {
			t.Errorf("%+v", pod.Spec)
		}
	})
}

// Where nobody evaluates CEL, selectors are refused, and all else is served.
func TestDeviceSelectorsWithoutCEL(t *testing.T) {
	opts := DefaultOptions()
	opts.Devices = true
	w := newWorldWith(t, trace.Off, opts)
	w.run(func(p *sim.Proc) {
		w.must(p, postRare("deviceclasses", `{"metadata":{"name":"all"},"spec":{}}`))
		_, err := w.do(p, postRare("deviceclasses", `{"metadata":{"name":"gpu"},"spec":{"selectors":[{"cel":{"expression":"true"}}]}}`))
		if !strings.Contains(fmt.Sprint(err), "spec.selectors[0].cel.expression: Forbidden: expressions in CEL are not evaluated in this cluster") {
			t.Error(err)
		}
	})
}

// What a selector says of a device. Upstream: dynamic-resource-allocation/cel/compile_test.go.
func TestDeviceSelectors(t *testing.T) {
	device := &cel.Device{Driver: "dra.example.com", Attributes: map[string]map[string]any{"dra.example.com": {
		"name": "fish", "size": int64(42), "fast": true, "version": cel.Version("1.2.3")}}}
	for _, c := range []struct{ expression, want string }{
		{`device.attributes["dra.example.com"].name == "fish" && device.attributes["dra.example.com"].size > 40`, "true"},
		{`device.attributes["dra.example.com"].fast`, "true"},
		{`device.attributes["dra.example.com"].version.isGreaterThan(semver("1.2.2"))`, "true"},
		{`"x" in device.attributes["other.example.com"]`, "false"},
		{`cel.bind(dra, device.attributes["dra.example.com"], dra.fast && dra.size == 42)`, "true"},
		{`device.attributes["dra.example.com"].size`, "CEL result of type int could not be converted to bool"},
		{`device.attributes["dra.example.com"].nothing == 1`, "no such key: nothing"},
	} {
		selector, problem := cel.Installed().DeviceSelector(c.expression)
		if problem != nil {
			t.Errorf("%s: %v", c.expression, problem)
			continue
		}
		is, err := selector.Matches(device)
		got := fmt.Sprint(is)
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, want %s", c.expression, got, c.want)
		}
		if selector.Cost() > 1000 {
			t.Errorf("%s: may cost %d", c.expression, selector.Cost())
		}
	}
}
