package accurate

import (
	"encoding/json"
	"reflect"

	"kubewalk/playground/api"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
)

// GroupVersion is the version of the API that is stored. Upstream serves v1 as well.
var (
	GroupVersion         = api.GroupVersion{Group: "accurate.cybozu.com", Version: "v2"}
	subNamespaceKind     = GroupVersion.WithKind("SubNamespace")
	subNamespaceResource = GroupVersion.WithResource("subnamespaces")
)

// SubNamespace asks for a namespace of its name, below its own. Upstream: api/accurate/v2/subnamespace_types.go.
type SubNamespace struct {
	metav1.TypeMeta
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   SubNamespaceSpec   `json:"spec,omitzero"`
	Status SubNamespaceStatus `json:"status,omitzero"`
}

// SubNamespaceSpec is what the namespace gets beside what comes from above.
type SubNamespaceSpec struct {
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// SubNamespaceStatus says what has been seen.
type SubNamespaceStatus struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

// SubNamespaceConflict is the reason of the condition Stalled: the namespace exists, and is another's child or nobody's.
const SubNamespaceConflict = "Conflict"

// DeepCopyObject implements api.Object.
func (s *SubNamespace) DeepCopyObject() api.Object {
	out := &SubNamespace{}
	text, err := json.Marshal(s)
	if err == nil {
		err = json.Unmarshal(text, out)
	}
	if err != nil {
		panic(err)
	}
	return out
}

func decode(obj *api.Unstructured) (*SubNamespace, error) {
	text, err := json.Marshal(obj)
	if err != nil {
		return nil, err
	}
	out := &SubNamespace{}
	return out, json.Unmarshal(text, out)
}

// tree is an object as JSON decodes it.
func tree(obj any) (map[string]any, error) {
	text, err := json.Marshal(obj)
	if err != nil {
		return nil, err
	}
	out := map[string]any{}
	return out, json.Unmarshal(text, &out)
}

// cloneResource is what a copy in a namespace has of its source. Upstream: propagate.go, cloneResource.
func cloneResource(kind api.GroupVersionKind, source api.Object, namespace string) (map[string]any, error) {
	out, err := tree(source)
	if err != nil {
		return nil, err
	}
	labels, annotations := map[string]any{}, map[string]any{}
	for key, value := range source.GetLabels() { // order: each fills its own key
		labels[key] = value
	}
	for key, value := range source.GetAnnotations() { // order: each fills its own key
		annotations[key] = value
	}
	labels[LabelCreatedBy] = CreatedBy
	annotations[AnnFrom] = source.GetNamespace()
	out["apiVersion"], out["kind"] = kind.GroupVersion().String(), kind.Kind
	out["metadata"] = map[string]any{"namespace": namespace, "name": source.GetName(), "labels": labels, "annotations": annotations}
	delete(out, "status")
	return out, nil
}

// within tells whether everything that want says is so in have, which may say more.
// Upstream: apimachinery/third_party/forked/golang/reflect, DeepDerivative.
func within(want, have any) bool {
	fields, ok := want.(map[string]any)
	if !ok {
		return want == nil || reflect.DeepEqual(want, have)
	}
	there, ok := have.(map[string]any)
	for key, value := range fields { // order: one is enough to say no
		ok = ok && within(value, there[key])
	}
	return ok
}

// writer sends what has no typed client.
type writer struct{ transport client.Transport }

func (w writer) create(p *sim.Proc, resource api.GroupVersionResource, namespace string, object map[string]any) error {
	body, err := json.Marshal(object)
	if err != nil {
		return err
	}
	_, err = w.transport.Do(p, &client.Request{Verb: client.Create, Resource: resource, Namespace: namespace, Body: body, FieldManager: fieldOwner})
	return err
}

// fieldOwner is the manager of what is applied. Upstream: internal/controller, fieldOwner.
const fieldOwner = "accurate-controller"

// apply writes by server-side apply, and takes over what others manage.
func (w writer) apply(p *sim.Proc, resource api.GroupVersionResource, subresource, namespace, name string, object map[string]any) error {
	body, err := json.Marshal(object)
	if err != nil {
		return err
	}
	_, err = w.transport.Do(p, &client.Request{Verb: client.Patch, Resource: resource, Subresource: subresource, Namespace: namespace, Name: name,
		PatchType: types.ApplyPatchType, Patch: body, FieldManager: fieldOwner, Force: true})
	return err
}

func (w writer) delete(p *sim.Proc, resource api.GroupVersionResource, namespace, name string) error {
	_, err := w.transport.Do(p, &client.Request{Verb: client.Delete, Resource: resource, Namespace: namespace, Name: name})
	return err
}
