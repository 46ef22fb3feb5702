package strategicpatch

import (
	"reflect"
	"testing"

	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
)

func TestStrategicMergePatch(t *testing.T) {
	pod, deployment := reflect.TypeOf(&corev1.Pod{}), reflect.TypeOf(&appsv1.Deployment{})
	for _, c := range []struct {
		name                string
		typ                 reflect.Type
		before, patch, want string
		err                 bool
	}{
		{name: "an owner is added before another", typ: pod,
			before: `{"metadata":{"ownerReferences":[{"uid":"a","name":"x"}]}}`,
			patch:  `{"metadata":{"ownerReferences":[{"uid":"b","name":"y"}],"uid":"p"}}`,
			want:   `{"metadata":{"ownerReferences":[{"name":"y","uid":"b"},{"name":"x","uid":"a"}],"uid":"p"}}`},
		{name: "an owner is taken away", typ: pod,
			before: `{"metadata":{"ownerReferences":[{"uid":"a"},{"uid":"b"}]}}`,
			patch:  `{"metadata":{"ownerReferences":[{"$patch":"delete","uid":"a"}]}}`,
			want:   `{"metadata":{"ownerReferences":[{"uid":"b"}]}}`},
		{name: "an owner that is not there is taken away", typ: pod,
			before: `{"metadata":{}}`,
			patch:  `{"metadata":{"ownerReferences":[{"$patch":"delete","uid":"a"}]}}`,
			want:   `{"metadata":{"ownerReferences":[]}}`},
		{name: "a field of one element", typ: pod,
			before: `{"metadata":{"ownerReferences":[{"uid":"a","name":"x","blockOwnerDeletion":true}]}}`,
			patch:  `{"metadata":{"ownerReferences":[{"uid":"a","blockOwnerDeletion":false}]}}`,
			want:   `{"metadata":{"ownerReferences":[{"blockOwnerDeletion":false,"name":"x","uid":"a"}]}}`},
		{name: "a condition among others", typ: pod,
			before: `{"status":{"conditions":[{"type":"Ready","status":"True"},{"type":"PodScheduled","status":"True"}]}}`,
			patch:  `{"status":{"conditions":[{"type":"Ready","status":"False"}]}}`,
			want:   `{"status":{"conditions":[{"status":"False","type":"Ready"},{"status":"True","type":"PodScheduled"}]}}`},
		{name: "a list without a strategy is replaced", typ: pod,
			before: `{"spec":{"tolerations":[{"key":"a"}]}}`, patch: `{"spec":{"tolerations":[{"key":"b"}]}}`, want: `{"spec":{"tolerations":[{"key":"b"}]}}`},
		{name: "a list without a strategy is replaced by null", typ: pod,
			before: `{"spec":{"tolerations":[{"key":"a"}]}}`, patch: `{"spec":{"tolerations":null}}`, want: `{"spec":{}}`},
		{name: "finalizers are a set", typ: pod,
			before: `{"metadata":{"finalizers":["a","b"]}}`, patch: `{"metadata":{"finalizers":["b","c"]}}`, want: `{"metadata":{"finalizers":["a","b","c"]}}`},
		{name: "finalizers are taken away", typ: pod,
			before: `{"metadata":{"finalizers":["a","b"]}}`, patch: `{"metadata":{"$deleteFromPrimitiveList/finalizers":["a"]}}`,
			want: `{"metadata":{"finalizers":["b"]}}`},
		{name: "labels merge, null removes", typ: pod,
			before: `{"metadata":{"labels":{"a":"1","b":"2"}}}`, patch: `{"metadata":{"labels":{"b":null,"c":"3"}}}`,
			want: `{"metadata":{"labels":{"a":"1","c":"3"}}}`},
		{name: "null in what was not there is not stored", typ: pod,
			before: `{}`, patch: `{"metadata":{"labels":{"b":null,"c":"3"}}}`, want: `{"metadata":{"labels":{"c":"3"}}}`},
		{name: "a list is replaced on demand", typ: pod,
			before: `{"spec":{"containers":[{"name":"a"},{"name":"b"}]}}`, patch: `{"spec":{"containers":[{"name":"c"},{"$patch":"replace"}]}}`,
			want: `{"spec":{"containers":[{"name":"c"}]}}`},
		{name: "a map is replaced on demand", typ: pod,
			before: `{"metadata":{"labels":{"a":"1"}}}`, patch: `{"metadata":{"labels":{"$patch":"replace","b":"2"}}}`,
			want: `{"metadata":{"labels":{"b":"2"}}}`},
		{name: "lists inside lists", typ: deployment,
			before: `{"spec":{"template":{"spec":{"containers":[{"name":"a","env":[{"name":"X","value":"1"}],"image":"i"}]}}}}`,
			patch:  `{"spec":{"template":{"spec":{"containers":[{"name":"a","env":[{"name":"Y","value":"2"}]}]}}}}`,
			want:   `{"spec":{"template":{"spec":{"containers":[{"env":[{"name":"Y","value":"2"},{"name":"X","value":"1"}],"image":"i","name":"a"}]}}}}`},
		{name: "what is not retained goes", typ: deployment,
			before: `{"spec":{"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}}}}`,
			patch:  `{"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}}`,
			want:   `{"spec":{"strategy":{"type":"Recreate"}}}`},
		{name: "order", typ: pod,
			before: `{"spec":{"containers":[{"name":"a"},{"name":"b"}]}}`,
			patch:  `{"spec":{"$setElementOrder/containers":[{"name":"c"},{"name":"b"},{"name":"a"}],"containers":[{"name":"c"}]}}`,
			want:   `{"spec":{"containers":[{"name":"c"},{"name":"b"},{"name":"a"}]}}`},
		{name: "order among others", typ: pod,
			before: `{"spec":{"containers":[{"name":"a"},{"name":"x"},{"name":"b"},{"name":"y"}]}}`,
			patch:  `{"spec":{"$setElementOrder/containers":[{"name":"b"},{"name":"c"},{"name":"a"}],"containers":[{"name":"c"}]}}`,
			want:   `{"spec":{"containers":[{"name":"x"},{"name":"b"},{"name":"c"},{"name":"a"},{"name":"y"}]}}`},
		{name: "elements against the order", typ: pod, before: `{}`, err: true,
			patch: `{"spec":{"$setElementOrder/containers":[{"name":"b"},{"name":"a"}],"containers":[{"name":"a"},{"name":"b"}]}}`},
		{name: "merging is no directive of an element", typ: pod, before: `{}`, patch: `{"spec":{"containers":[{"name":"a","$patch":"merge"}]}}`, err: true},
		{name: "large numbers keep their digits", typ: pod,
			before: `{"metadata":{"generation":9007199254740993}}`, patch: `{}`, want: `{"metadata":{"generation":9007199254740993}}`},
		{name: "an element without its key", typ: pod, before: `{}`, patch: `{"spec":{"containers":[{"image":"x"}]}}`, err: true},
		{name: "no element", typ: pod, before: `{}`, patch: `{"spec":{"containers":["x"]}}`, err: true},
		{name: "no JSON", typ: pod, before: `{}`, patch: `{`, err: true},
		{name: "no object", typ: pod, before: `{}`, patch: `[]`, err: true},
		{name: "an unknown directive", typ: pod, before: `{}`, patch: `{"$patch":"explode"}`, err: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := StrategicMergePatch([]byte(c.before), []byte(c.patch), c.typ)
			if (err != nil) != c.err {
				t.Fatalf("error %v", err)
			}
			if string(got) != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}
