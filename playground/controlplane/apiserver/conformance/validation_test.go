package conformance

import (
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	flowcontrolapi "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	upstreamfield "k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	"k8s.io/kubernetes/pkg/apis/certificates"
	_ "k8s.io/kubernetes/pkg/apis/certificates/install"
	certificatesvalidation "k8s.io/kubernetes/pkg/apis/certificates/validation"
	"k8s.io/kubernetes/pkg/apis/flowcontrol"
	_ "k8s.io/kubernetes/pkg/apis/flowcontrol/install"
	flowvalidation "k8s.io/kubernetes/pkg/apis/flowcontrol/validation"
	"k8s.io/kubernetes/pkg/apis/node"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	nodevalidation "k8s.io/kubernetes/pkg/apis/node/validation"
	"k8s.io/kubernetes/pkg/apis/resource"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	resourcevalidation "k8s.io/kubernetes/pkg/apis/resource/validation"

	"kubewalk/playground/api"
	"kubewalk/playground/api/autoscalingv2"
	"kubewalk/playground/api/certificatesv1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/flowcontrolv1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/nodev1"
	"kubewalk/playground/api/resourcev1"
	"kubewalk/playground/controlplane/apiserver/autoscaling"
	"kubewalk/playground/controlplane/apiserver/defaults"
	ourflowcontrol "kubewalk/playground/controlplane/apiserver/flowcontrol"
	"kubewalk/playground/controlplane/apiserver/validation"
)

// kind is how both sides judge an object of a kind, and how objects of it look that tests begin with.
type kind struct {
	gvk      schema.GroupVersionKind
	good     []string
	values   []any // that fields are given, besides those of every kind
	upstream func(obj runtime.Object) upstreamfield.ErrorList
	ours     func(obj api.Object) field.ErrorList
}

var kinds = []kind{
	{
		gvk: schema.GroupVersionKind{Group: "node.k8s.io", Version: "v1", Kind: "RuntimeClass"},
		good: []string{`{"metadata":{"name":"a"},"handler":"a","overhead":{"podFixed":{"cpu":"1","memory":"1Gi"}},
			"scheduling":{"nodeSelector":{"a":"b"},"tolerations":[{"key":"a","operator":"Equal","value":"b","effect":"NoExecute","tolerationSeconds":5},{"operator":"Exists"}]}}`},
		values: []any{"Exists", "Equal", "NoSchedule"},
		upstream: func(obj runtime.Object) upstreamfield.ErrorList {
			return nodevalidation.ValidateRuntimeClass(obj.(*node.RuntimeClass))
		},
		ours: func(obj api.Object) field.ErrorList {
			return validation.ValidateRuntimeClass(obj.(*nodev1.RuntimeClass))
		},
	},
	{
		gvk: schema.GroupVersionKind{Group: "flowcontrol.apiserver.k8s.io", Version: "v1", Kind: "FlowSchema"},
		good: []string{`{"metadata":{"name":"a"},"spec":{"matchingPrecedence":100,"distinguisherMethod":{"type":"ByUser"},"priorityLevelConfiguration":{"name":"exempt"},
			"rules":[{"subjects":[{"kind":"ServiceAccount","serviceAccount":{"name":"a","namespace":"b"}},{"kind":"User","user":{"name":"u"}},{"kind":"Group","group":{"name":"g"}}],
			"resourceRules":[{"verbs":["get","list"],"apiGroups":["","apps"],"resources":["pods"],"namespaces":["default"]},{"verbs":["*"],"apiGroups":["*"],"resources":["*"],"namespaces":["*"]}],
			"nonResourceRules":[{"verbs":["get"],"nonResourceURLs":["/healthz","/a/*"]}]}]},"status":{"conditions":[{"type":"Dangling"},{"type":"x"}]}}`},
		values: []any{"*", "Group", "User", "get", "/", "/a//b", "/*", "/a*", 10001, "ByNamespace"},
		upstream: func(obj runtime.Object) upstreamfield.ErrorList {
			return flowvalidation.ValidateFlowSchema(obj.(*flowcontrol.FlowSchema))
		},
		ours: func(obj api.Object) field.ErrorList {
			return validation.ValidateFlowSchema(obj.(*flowcontrolv1.FlowSchema))
		},
	},
	{
		gvk: schema.GroupVersionKind{Group: "flowcontrol.apiserver.k8s.io", Version: "v1", Kind: "PriorityLevelConfiguration"},
		good: []string{`{"metadata":{"name":"a"},"spec":{"type":"Limited","limited":{"nominalConcurrencyShares":5,"lendablePercent":10,"borrowingLimitPercent":5,
			"limitResponse":{"type":"Queue","queuing":{"queues":64,"handSize":6,"queueLengthLimit":50}}}},"status":{"conditions":[{"type":"x"}]}}`,
			`{"metadata":{"name":"exempt"},"spec":{"type":"Exempt","exempt":{"nominalConcurrencyShares":1,"lendablePercent":2}}}`,
			`{"metadata":{"name":"catch-all"},"spec":{"type":"Limited","limited":{"nominalConcurrencyShares":5,"lendablePercent":0,"limitResponse":{"type":"Reject"}}}}`},
		values: []any{"Limited", "Exempt", "Queue", "Reject", 11000000, 101},
		upstream: func(obj runtime.Object) upstreamfield.ErrorList {
			return flowvalidation.ValidatePriorityLevelConfiguration(obj.(*flowcontrol.PriorityLevelConfiguration), flowcontrolapi.SchemeGroupVersion,
				flowvalidation.PriorityLevelValidationOptions{})
		},
		ours: func(obj api.Object) field.ErrorList {
			return validation.ValidatePriorityLevelConfiguration(obj.(*flowcontrolv1.PriorityLevelConfiguration))
		},
	},
	{
		gvk: schema.GroupVersionKind{Group: "certificates.k8s.io", Version: "v1", Kind: "CertificateSigningRequest"},
		good: []string{`{"metadata":{"name":"a"},"spec":{"request":"","signerName":"example.com/a","usages":["client auth","digital signature"],"expirationSeconds":3600},
			"status":{"conditions":[{"type":"Approved","status":"True"},{"type":"x","status":"Unknown"}]}}`},
		values: []any{"Denied", "Failed", "server auth", "kubernetes.io/legacy-unknown", "example.com/a.b", "a.B/c", "a.b/c/d", "a/b", 600, 599, "False"},
		upstream: func(obj runtime.Object) upstreamfield.ErrorList { // what is in certificates is looked at elsewhere
			errs := certificatesvalidation.ValidateCertificateSigningRequestCreate(obj.(*certificates.CertificateSigningRequest))
			return slices.DeleteFunc(errs, func(e *upstreamfield.Error) bool { return e.Field == "spec.request" || e.Field == "status.certificate" })
		},
		ours: func(obj api.Object) field.ErrorList {
			return validation.ValidateCertificateSigningRequest(obj.(*certificatesv1.CertificateSigningRequest), nil, nil)
		},
	},
}

// devices are the kinds of resource.k8s.io. What selectors say is compared in TestDeviceSelectors.
var devices = []kind{
	{
		gvk: schema.GroupVersionKind{Group: "resource.k8s.io", Version: "v1", Kind: "DeviceClass"},
		good: []string{`{"metadata":{"name":"a"},"spec":{"selectors":[{"cel":{"expression":"true"}},{"cel":{"expression":"false"}}],
			"config":[{"opaque":{"driver":"a.example.com","parameters":{"a":"b"}}}],"extendedResourceName":"example.com/gpu"}}`},
		values: []any{"kubernetes.io/a", "requests.a/b", "A.example.com", "true", nil},
		upstream: func(obj runtime.Object) upstreamfield.ErrorList {
			return noExpressions(resourcevalidation.ValidateDeviceClass(obj.(*resource.DeviceClass)))
		},
		ours: func(obj api.Object) field.ErrorList {
			return validation.ValidateDeviceClass(obj.(*resourcev1.DeviceClass))
		},
	},
	{
		gvk: schema.GroupVersionKind{Group: "resource.k8s.io", Version: "v1", Kind: "ResourceClaim"},
		good: []string{`{"metadata":{"name":"a","namespace":"b"},"spec":{"devices":{"requests":[{"name":"a","exactly":{"deviceClassName":"c","count":2,"selectors":[{"cel":{"expression":"true"}}],
			"tolerations":[{"key":"k","operator":"Equal","value":"v","effect":"NoExecute"},{"operator":"Exists"}]}},
			{"name":"b","firstAvailable":[{"name":"x","deviceClassName":"c","allocationMode":"All"},{"name":"y","deviceClassName":"d","count":3}]}],
			"constraints":[{"requests":["a","b/x"],"matchAttribute":"example.com/m"},{"distinctAttribute":"example.com/d"}],
			"config":[{"requests":["a","b"],"opaque":{"driver":"d.example.com","parameters":{"x":1}}}]}}}`},
		values: []any{"All", "ExactCount", "NoSchedule", "Exists", "b/y", "b/z", "b/x/y", "c", "example.com/A-b", "/m", "m/", "a/b/c",
			"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
		upstream: func(obj runtime.Object) upstreamfield.ErrorList {
			return noExpressions(resourcevalidation.ValidateResourceClaim(obj.(*resource.ResourceClaim)))
		},
		ours: func(obj api.Object) field.ErrorList {
			return validation.ValidateResourceClaim(obj.(*resourcev1.ResourceClaim))
		},
	},
	{
		gvk: schema.GroupVersionKind{Group: "resource.k8s.io", Version: "v1", Kind: "ResourceClaim"},
		good: []string{`{"metadata":{"name":"a","namespace":"b"},"spec":{"devices":{"requests":[{"name":"a","exactly":{"deviceClassName":"c"}}]}},
			"status":{"reservedFor":[{"resource":"pods","name":"p","uid":"u"},{"resource":"pods","name":"q","uid":"v"}],
			"allocation":{"devices":{"results":[{"request":"a","driver":"d.example.com","pool":"n/p","device":"x","shareID":"11111111-1111-1111-1111-111111111111",
			"bindingConditions":["ready"],"bindingFailureConditions":["failed"]},{"request":"a","driver":"d.example.com","pool":"n","device":"y"}],
			"config":[{"source":"FromClass","requests":["a"],"opaque":{"driver":"d.example.com","parameters":{"x":1}}}]}},
			"devices":[{"driver":"d.example.com","pool":"n","device":"y","conditions":[{"type":"Ready","status":"True","reason":"R","lastTransitionTime":"2026-01-01T00:00:00Z"}],
			"data":{"a":"b"},"networkData":{"interfaceName":"eth0","ips":["10.0.0.1/24","2001:db8::1/64"],"hardwareAddress":"x"}}]}}`},
		values: []any{"FromClaim", "y", "n", "10.0.0.1", "::ffff:10.0.0.1/120", "10.0.0.1/24", "11111111-1111-1111-1111-11111111111G", "11111111111111111111111111111111",
			"{11111111-1111-1111-1111-111111111111}", "AAAAAAAA-1111-1111-1111-111111111111", "ready", "R,", "Unknown", "NotIn", nil},
		upstream: func(obj runtime.Object) upstreamfield.ErrorList {
			claim := obj.(*resource.ResourceClaim)
			return resourcevalidation.ValidateResourceClaimStatusUpdate(claim, &resource.ResourceClaim{ObjectMeta: claim.ObjectMeta})
		},
		ours: func(obj api.Object) field.ErrorList {
			return validation.ValidateResourceClaimStatusUpdate(obj.(*resourcev1.ResourceClaim), &resourcev1.ResourceClaim{})
		},
	},
	{
		gvk: schema.GroupVersionKind{Group: "resource.k8s.io", Version: "v1", Kind: "ResourceClaimTemplate"},
		good: []string{`{"metadata":{"name":"a","namespace":"b"},"spec":{"metadata":{"labels":{"a":"b"},"annotations":{"c":"d"}},
			"spec":{"devices":{"requests":[{"name":"a","exactly":{"deviceClassName":"c"}}],"config":[{"opaque":{"driver":"d","parameters":{"x":1}}}]}}}}`},
		values: []any{"All"},
		upstream: func(obj runtime.Object) upstreamfield.ErrorList {
			return noExpressions(resourcevalidation.ValidateResourceClaimTemplate(obj.(*resource.ResourceClaimTemplate)))
		},
		ours: func(obj api.Object) field.ErrorList {
			return validation.ValidateResourceClaimTemplate(obj.(*resourcev1.ResourceClaimTemplate))
		},
	},
	{
		gvk: schema.GroupVersionKind{Group: "resource.k8s.io", Version: "v1", Kind: "ResourceSlice"},
		good: []string{`{"metadata":{"name":"a"},"spec":{"driver":"d.example.com","pool":{"name":"n","generation":1,"resourceSliceCount":1},"nodeName":"n","devices":[
			{"name":"x","attributes":{"a":{"int":1},"b.example.com/c":{"string":"s"},"v":{"version":"1.2.3-a.1+b"},"t":{"bool":true}},"capacity":{"m":{"value":"1Gi"}},
			"taints":[{"key":"k","value":"v","effect":"NoSchedule"}],"bindingConditions":["a"],"bindingFailureConditions":["b"],
			"consumesCounters":[{"counterSet":"s","counters":{"c":{"value":"1"}}}]},
			{"name":"y","allowMultipleAllocations":true,"capacity":{"m":{"value":"10","requestPolicy":{"default":"2","validValues":["1","2","4"]}},
			"k":{"value":"10","requestPolicy":{"default":"2","validRange":{"min":"1","max":"5"}}}},"attributes":{"l":{"strings":["a","b"]},"w":{"versions":["1.0.0"]}}}]}}`,
			`{"metadata":{"name":"a"},"spec":{"driver":"d","pool":{"name":"n/m","resourceSliceCount":1},"perDeviceNodeSelection":true,"devices":[{"name":"x","nodeName":"n"},{"name":"y","allNodes":true},
			{"name":"z","nodeSelector":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"Exists"}]}]},"nodeAllocatableResourceMappings":{"cpu":{"capacityKey":"m"}},"capacity":{"m":{"value":"1"}}}]}}`,
			`{"metadata":{"name":"a"},"spec":{"driver":"d","pool":{"name":"n","resourceSliceCount":1},"allNodes":true,"sharedCounters":[{"name":"s","counters":{"c":{"value":"1"}}},{"name":"t","counters":{"c":{"value":"2"}}}]}}`},
		values: []any{"NoExecute", "1.2", "01.2.3", "1.2.3-01", "1.2.3+", "1.2.3--", "n/", "3", "7", "11", "None", nil},
		upstream: func(obj runtime.Object) upstreamfield.ErrorList {
			return resourcevalidation.ValidateResourceSlice(obj.(*resource.ResourceSlice))
		},
		ours: func(obj api.Object) field.ErrorList {
			return validation.ValidateResourceSlice(obj.(*resourcev1.ResourceSlice))
		},
	},
}

// noExpressions leaves out what is wrong with selectors.
func noExpressions(errs upstreamfield.ErrorList) upstreamfield.ErrorList {
	return slices.DeleteFunc(errs, func(e *upstreamfield.Error) bool { return strings.HasSuffix(e.Field, ".cel.expression") })
}

// asTree is an object as JSON, without what its creation says.
func asTree(t *testing.T, obj any) string {
	t.Helper()
	text, err := json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	var tree map[string]any
	if err := json.Unmarshal(text, &tree); err != nil {
		t.Fatal(err)
	}
	delete(tree["metadata"].(map[string]any), "creationTimestamp")
	if status, ok := tree["status"].(map[string]any); ok && len(status) == 0 {
		delete(tree, "status")
	}
	text, _ = json.Marshal(tree)
	return string(text)
}

// The objects of flow control that every cluster has are upstream's.
func TestFlowControlOfEveryCluster(t *testing.T) {
	var want, got []string
	for _, o := range append(bootstrap.SuggestedPriorityLevelConfigurations, bootstrap.MandatoryPriorityLevelConfigurations...) {
		want = append(want, asTree(t, o))
	}
	for _, o := range append(bootstrap.SuggestedFlowSchemas, bootstrap.MandatoryFlowSchemas...) {
		want = append(want, asTree(t, o))
	}
	for _, o := range ourflowcontrol.Bootstrap(metav1.Time{}) {
		if s, ok := o.(*flowcontrolv1.FlowSchema); ok {
			s.Status = flowcontrolv1.FlowSchemaStatus{} // which upstream writes later
		}
		got = append(got, asTree(t, o))
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) {
		t.Errorf("upstream %q\nours     %q", want, got)
	}
}

// Autoscalers go from v2 to v1 as upstream has them, annotations and all, and come back as they were.
func TestAutoscalersAreConverted(t *testing.T) {
	const good = `{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"a","annotations":{"x":"y"}},"spec":{"scaleTargetRef":{"kind":"Deployment","name":"web"},
		"minReplicas":2,"maxReplicas":5,"metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":50}}},
		{"type":"Resource","resource":{"name":"memory","target":{"type":"AverageValue","averageValue":"10Mi"}}},
		{"type":"Pods","pods":{"metric":{"name":"m","selector":{"matchLabels":{"a":"b"}}},"target":{"type":"AverageValue","averageValue":"3"}}},
		{"type":"Object","object":{"describedObject":{"kind":"Service","name":"s"},"metric":{"name":"m"},"target":{"type":"Value","value":"4"}}},
		{"type":"ContainerResource","containerResource":{"name":"cpu","container":"c","target":{"type":"Utilization","averageUtilization":7}}},
		{"type":"External","external":{"metric":{"name":"e"},"target":{"type":"Value","value":"8"}}}],
		"behavior":{"scaleUp":{"stabilizationWindowSeconds":5,"policies":[{"type":"Pods","value":1,"periodSeconds":10}]}}},
		"status":{"currentReplicas":2,"desiredReplicas":3,"currentMetrics":[{"type":"Resource","resource":{"name":"cpu","current":{"averageUtilization":30,"averageValue":"100m"}}},
		{"type":"External","external":{"metric":{"name":"e"},"current":{"value":"8"}}}],"conditions":[{"type":"AbleToScale","status":"True","reason":"r"}]}}`
	r := rand.New(rand.NewPCG(3, 4))
	compared := 0
	for i := range 3000 {
		var tree map[string]any
		if err := json.Unmarshal([]byte(good), &tree); err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			change(r, tree, append(slices.Clone(anyValue), "Utilization", "5", "cpu", "Resource", "External"))
		}
		text, _ := json.Marshal(tree)
		internal, err := runtime.Decode(legacyscheme.Codecs.UniversalDecoder(), text)
		if err != nil {
			continue
		}
		upstream, err := runtime.Encode(legacyscheme.Codecs.LegacyCodec(schema.GroupVersion{Group: "autoscaling", Version: "v1"}), internal)
		if err != nil {
			t.Fatal(err)
		}
		ours, _, err := api.Decode(text, nil)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		defaults.Set(ours)
		v1 := autoscaling.ToV1(ours.(*autoscalingv2.HorizontalPodAutoscaler))
		if want, got := asTree(t, json.RawMessage(upstream)), asTree(t, v1); want != got {
			t.Fatalf("%s\nupstream %s\nours     %s", text, want, got)
		}
		internal, err = runtime.Decode(legacyscheme.Codecs.UniversalDecoder(), upstream)
		if err != nil {
			t.Fatal(err)
		}
		if upstream, err = runtime.Encode(legacyscheme.Codecs.LegacyCodec(schema.GroupVersion{Group: "autoscaling", Version: "v2"}), internal); err != nil {
			t.Fatal(err)
		}
		back, _, err := api.Decode(upstream, nil)
		if err != nil {
			t.Fatal(err)
		}
		defaults.Set(back) // as when it is read from etcd
		if want, got := asTree(t, back), asTree(t, autoscaling.FromV1(v1)); want != got {
			t.Fatalf("%s\nupstream %s\nours     %s", text, want, got)
		}
		compared++
	}
	if compared < 1000 {
		t.Errorf("compared only %d", compared)
	}
}

// anyValue is what every field may be given.
var anyValue = []any{"", "a", "A_b", "a/b", "a b", "-1", "example.com/x", "x.example.com", 0, 1, -1, 100000, true, false, []any{}, map[string]any{}}

// TestValidationIsUpstreams changes good objects at random, a little: both sides refuse the same, in the same words.
func TestValidationIsUpstreams(t *testing.T) {
	for _, k := range append(kinds, devices...) {
		t.Run(k.gvk.Kind, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			refused, judged := 0, 0
			for i := range 6000 {
				var tree map[string]any
				if err := json.Unmarshal([]byte(k.good[i%len(k.good)]), &tree); err != nil {
					t.Fatal(err)
				}
				tree["apiVersion"], tree["kind"] = k.gvk.GroupVersion().String(), k.gvk.Kind
				if i >= len(k.good) {
					for range 1 + r.IntN(3) {
						change(r, tree, append(slices.Clone(anyValue), k.values...))
					}
				}
				text, err := json.Marshal(tree)
				if err != nil {
					t.Fatal(err)
				}
				theirs, err := runtime.Decode(legacyscheme.Codecs.UniversalDecoder(), text)
				if err != nil {
					continue // not of the types
				}
				ours, _, err := api.Decode(text, nil)
				if err != nil {
					t.Errorf("%s\nwe cannot read it: %v", text, err)
					continue
				}
				defaults.Set(ours)
				judged++
				want, got := words(k.upstream(theirs)), words(k.ours(ours))
				if i < len(k.good) && len(want) > 0 {
					t.Errorf("%s is not good: %v", text, want)
				}
				if len(want) > 0 {
					refused++
				}
				if !slices.Equal(want, got) {
					t.Fatalf("%s\nupstream %q\nours     %q", text, want, got)
				}
			}
			if judged < 1000 || refused < judged/4 {
				t.Errorf("of %d objects %d were refused: the test hardly tests", judged, refused)
			}
		})
	}
}

// nested is a value that is no plain one: upstream writes its internal types, whose fields have other names.
var nested = regexp.MustCompile(`value: [{\[].*[}\]]`)

// words are the errors in no order. Those about metadata are the registry's.
func words[E error](errs []E) []string {
	var out []string
	for _, err := range errs {
		if text := err.Error(); !strings.HasPrefix(text, "metadata.") {
			out = append(out, nested.ReplaceAllString(text, "value: ..."))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// change gives one field another value, takes it away, or repeats an item.
func change(r *rand.Rand, tree any, values []any) {
	type place struct {
		set    func(v any)
		remove func()
		value  any
	}
	var places []place
	var walk func(v any, depth int)
	walk = func(v any, depth int) {
		switch v := v.(type) {
		case map[string]any:
			for _, key := range sortedKeys(v) {
				if depth == 0 && (key == "apiVersion" || key == "kind" || key == "metadata") {
					continue
				}
				places = append(places, place{func(n any) { v[key] = n }, func() { delete(v, key) }, v[key]})
				walk(v[key], depth+1)
			}
		case []any:
			for i := range v {
				places = append(places, place{func(n any) { v[i] = n }, func() { v[i] = v[(i+1)%len(v)] }, v[i]})
				walk(v[i], depth+1)
			}
		}
	}
	walk(tree, 0)
	if len(places) == 0 {
		return
	}
	p := places[r.IntN(len(places))]
	list, isList := p.value.([]any)
	switch n := r.IntN(6); {
	case n == 0:
		p.remove()
	case isList && n < 3 && len(list) > 0:
		p.set(append(slices.Clone(list), list[r.IntN(len(list))]))
	default:
		p.set(values[r.IntN(len(values))])
	}
}

func sortedKeys(m map[string]any) []string {
	var keys []string
	for key := range m { // order: sorted below
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
