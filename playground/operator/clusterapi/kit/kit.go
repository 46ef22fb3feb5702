// Package kit is what the programs of Cluster API have in common: writing what has changed, objects of kinds that nobody knows, conditions.
// Upstream: util/patch, util/conditions, controllers/external, internal/contract.
package kit

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/record"
	"kubewalk/playground/operator/clusterapi/clusterv1"
	objects "kubewalk/playground/operator/controllerruntime/cache"
	crclient "kubewalk/playground/operator/controllerruntime/client"
	"kubewalk/playground/operator/controllerruntime/context"
	"kubewalk/playground/operator/controllerruntime/manager"
	"kubewalk/playground/operator/controllerruntime/reconcile"
	"kubewalk/playground/operator/controllerruntime/runtime"
	"kubewalk/playground/operator/controllerruntime/webhook"
	"kubewalk/playground/sim"
)

// Program is one manager, and what its reconcilers share.
type Program struct {
	crclient.Client
	Manager   manager.Manager
	Clientset *client.Clientset
	Transport client.Transport
	Rand      *sim.Rand
	scheme    *runtime.Scheme
	cache     *objects.Cache
	events    *record.EventBroadcaster
	component *sim.Component
}

// Start brings a program up: setup adds its reconcilers.
func Start(k *sim.Kernel, t client.Transport, name string, setup func(p *Program, scheme *runtime.Scheme) error) *sim.Component {
	component := k.Start(name)
	component.Go("main", func(p *sim.Proc) {
		scheme := runtime.NewScheme()
		clusterv1.AddToScheme(scheme)
		mgr := manager.New(component, t, manager.Options{Scheme: scheme, WebhookServer: &webhook.Server{}})
		program := &Program{Client: mgr.GetClient(), Manager: mgr, Clientset: client.New(t), Transport: t, Rand: k.Rand(name), scheme: scheme,
			cache: mgr.GetCache(), events: record.NewBroadcaster(component), component: component}
		program.events.StartRecordingToSink(program.Clientset)
		if err := setup(program, scheme); err != nil {
			p.Logger().Error(err, "The manager has failed")
			return
		}
		mgr.Start(p)
	})
	return component
}

// Now is the time.
func (p *Program) Now() time.Time { return p.component.Kernel().Time() }

// Recorder returns a recorder of a controller's Events.
func (p *Program) Recorder(controller string) *Recorder {
	return &Recorder{p, p.events.NewRecorder(corev1.EventSource{Component: controller})}
}

// Recorder records Events about objects of the scheme.
type Recorder struct {
	program *Program
	to      record.EventRecorder
}

// Eventf records one.
func (r *Recorder) Eventf(about api.Object, eventtype, reason, message string, args ...any) {
	r.to.Eventf(record.Ref(record.Reference(r.program.scheme.KindFor(about), about)), eventtype, reason, message, args...)
}

// List returns the objects of a kind that match, by their names. Each is a copy.
func List[T api.Object](ctx context.Context, p *Program, empty T, match func(obj T) bool) ([]T, error) {
	informer, err := p.cache.GetInformer(empty)
	if err != nil {
		return nil, err
	}
	cache.WaitForCacheSync(ctx.Proc, informer.HasSynced)
	var out []T
	for _, o := range informer.GetIndexer().List() {
		obj := reflect.New(reflect.TypeOf(empty).Elem()).Interface().(T)
		if err := crclient.Copy(o.(api.Object), obj); err != nil {
			return nil, err
		}
		if match(obj) {
			out = append(out, obj)
		}
	}
	slices.SortFunc(out, func(a, b T) int {
		return strings.Compare(a.GetNamespace()+"/"+a.GetName(), b.GetNamespace()+"/"+b.GetName())
	})
	return out, nil
}

// Requests are those for objects.
func Requests[T api.Object](objects []T) (out []reconcile.Request) {
	for _, o := range objects {
		request := reconcile.Request{}
		request.Namespace, request.Name = o.GetNamespace(), o.GetName()
		out = append(out, request)
	}
	return out
}

// Known are the objects of a kind that match, as the cache has them now: for handlers, which cannot wait.
func Known[T api.Object](p *Program, empty T, match func(obj T) bool) (out []T) {
	informer, err := p.cache.GetInformer(empty)
	if err != nil {
		return nil
	}
	for _, o := range informer.GetIndexer().List() {
		obj := reflect.New(reflect.TypeOf(empty).Elem()).Interface().(T)
		if crclient.Copy(o.(api.Object), obj) == nil && match(obj) {
			out = append(out, obj)
		}
	}
	return out
}

// Patcher writes what a reconciler has changed. Upstream: util/patch.Helper, which has one request more, for conditions.
type Patcher struct {
	to     crclient.Client
	before map[string]any
}

// NewPatcher remembers how an object is.
func NewPatcher(p *Program, obj api.Object) *Patcher { return &Patcher{p, tree(obj)} }

// NewPatcherIn is NewPatcher for an object of another cluster, to which t leads.
func NewPatcherIn(p *Program, t client.Transport, obj api.Object) *Patcher {
	return &Patcher{crclient.New(t, p.cache), tree(obj)}
}

// Patch writes the difference: first that of metadata and spec, then that of the status.
func (h *Patcher) Patch(ctx context.Context, obj api.Object) error {
	now := tree(obj)
	changes := api.MergePatch(h.before, now)
	status, changed := changes["status"]
	delete(changes, "status")
	delete(changes, "apiVersion")
	delete(changes, "kind")
	write := func(patch map[string]any, send func(ctx context.Context, obj api.Object, patch []byte) error) error {
		text, err := json.Marshal(patch)
		if err != nil {
			return err
		}
		answer := obj.DeepCopyObject()
		if err := send(ctx, answer, text); err != nil {
			return err
		}
		obj.SetResourceVersion(answer.GetResourceVersion())
		return nil
	}
	h.before = now
	if len(changes) > 0 {
		if err := write(changes, h.to.Patch); err != nil {
			return err
		}
	}
	if !changed {
		return nil
	}
	err := write(map[string]any{"status": status}, h.to.Status().Patch)
	if apierrors.IsNotFound(err) && obj.GetDeletionTimestamp() != nil {
		return nil // it went with its last finalizer
	}
	return err
}

func tree(obj api.Object) map[string]any {
	text, err := json.Marshal(obj)
	out := map[string]any{}
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		panic(err) // it came as JSON
	}
	return out
}

// KindOf finds the kind that a reference means, in the version that is served. Upstream reads the version from a label of the definition:
// internal/contract/metadata.go, GetAPIVersion.
func (p *Program) KindOf(ref clusterv1.ContractVersionedObjectReference) (*api.Kind, error) {
	for _, kind := range p.Transport.Kinds() {
		if kind.Group == ref.APIGroup && kind.Kind == ref.Kind {
			return kind, nil
		}
	}
	return nil, fmt.Errorf("no matches for kind %q in group %q", ref.Kind, ref.APIGroup)
}

// GetExternal reads an object of a provider. Upstream: controllers/external, GetObjectFromContractVersionedRef.
func (p *Program) GetExternal(ctx context.Context, ref clusterv1.ContractVersionedObjectReference, namespace string) (*api.Unstructured, error) {
	kind, err := p.KindOf(ref)
	if err != nil {
		return nil, err
	}
	obj := api.NewUnstructured(kind)
	found, err := p.cache.Get(ctx.Proc, crclient.ObjectKey{Namespace: namespace, Name: ref.Name}, obj)
	if err != nil {
		return nil, err
	}
	return found.DeepCopyObject().(*api.Unstructured), nil
}

// region clone

// CloneTemplate makes an object of a template: a Template of a
// kind has under spec.template what an object of that kind has.
// Upstream: controllers/external, CreateFromTemplate.
func (p *Program) CloneTemplate(ctx context.Context, ref clusterv1.ContractVersionedObjectReference, m *clusterv1.Machine,
	owner metav1.OwnerReference) (*api.Unstructured, clusterv1.ContractVersionedObjectReference, error) {
	template, err := p.GetExternal(ctx, ref, m.Namespace)
	if err != nil {
		return nil, ref, err
	}
	kind, to, err := p.cloneOf(ref)
	if err != nil {
		return nil, ref, err
	}
	to.Name = m.Name
	obj := api.NewUnstructured(kind)
	obj.SetGroupVersionKind(kind.GroupVersionKind)
	obj.Namespace, obj.Name = m.Namespace, m.Name
	obj.Labels = With(m.Labels, clusterv1.ClusterNameLabel, m.Spec.ClusterName)
	obj.Annotations = With(m.Annotations, clusterv1.TemplateClonedFromNameAnnotation, ref.Name)
	obj.Annotations[clusterv1.TemplateClonedFromGroupKindAnnotation] = ref.Kind + "." + ref.APIGroup
	obj.OwnerReferences = []metav1.OwnerReference{owner}
	spec, _ := Field[map[string]any](template, "spec", "template", "spec")
	obj.Fields = map[string]any{"spec": api.CopyTree(spec)}
	return obj, to, p.Create(ctx, obj)
}

// endregion

// cloneOf is the kind that is made of a template's.
func (p *Program) cloneOf(ref clusterv1.ContractVersionedObjectReference) (*api.Kind, clusterv1.ContractVersionedObjectReference, error) {
	ref.Kind = strings.TrimSuffix(ref.Kind, "Template")
	kind, err := p.KindOf(ref)
	return kind, ref, err
}

// ListClones returns the objects that match of the kind that is made of a template's, by their names. Each is a copy.
func (p *Program) ListClones(ctx context.Context, template clusterv1.ContractVersionedObjectReference, match func(o *api.Unstructured) bool) (
	[]*api.Unstructured, error) {
	kind, ref, err := p.cloneOf(template)
	if err != nil {
		return nil, fmt.Errorf("failed to list %s objects: %w", ref.Kind, err)
	}
	informer, err := p.cache.GetInformer(api.NewUnstructured(kind))
	if err != nil {
		return nil, fmt.Errorf("failed to list %s objects: %w", ref.Kind, err)
	}
	cache.WaitForCacheSync(ctx.Proc, informer.HasSynced)
	var out []*api.Unstructured
	for _, o := range informer.GetIndexer().List() {
		if obj := o.(*api.Unstructured); match(obj) {
			out = append(out, obj.DeepCopyObject().(*api.Unstructured))
		}
	}
	slices.SortFunc(out, func(a, b *api.Unstructured) int {
		return strings.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name)
	})
	return out, nil
}

// Aggregate is what failed, nil for nothing. It prints one error as it is, several in brackets.
// Upstream: apimachinery/pkg/util/errors/errors.go, NewAggregate.
func Aggregate(errs ...error) error {
	errs = slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	switch len(errs) {
	case 0:
		return nil
	case 1:
		return errs[0]
	}
	texts := make([]string, len(errs))
	for i, err := range errs {
		texts[i] = err.Error()
	}
	return errors.New("[" + strings.Join(texts, ", ") + "]")
}

// With is a map with one more entry.
func With(m map[string]string, key, value string) map[string]string {
	out := map[string]string{key: value}
	for k, v := range m { // order: each fills its own key
		if k != key {
			out[k] = v
		}
	}
	return out
}

// Field reads a field of an object that has no Go type.
func Field[T any](obj *api.Unstructured, path ...string) (T, bool) {
	var at any = obj.Fields
	for _, name := range path {
		fields, _ := at.(map[string]any)
		at = fields[name]
	}
	value, ok := at.(T)
	return value, ok
}

// Number reads a field that is a number.
func Number(obj *api.Unstructured, path ...string) (int64, bool) {
	value, ok := Field[any](obj, path...)
	var n int64
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, &n)
	}
	return n, ok && err == nil
}

// SetCondition adds a condition, or replaces the one of its type. They are in the order of their types, but that Available and Ready come
// first. Upstream: util/conditions/setter.go, Set.
func SetCondition(conditions *[]metav1.Condition, now time.Time, c metav1.Condition) {
	c.LastTransitionTime = metav1.NewTime(now).Rfc3339Copy()
	for i := range *conditions {
		if before := &(*conditions)[i]; before.Type == c.Type {
			if before.Status == c.Status && before.Reason == c.Reason && before.Message == c.Message {
				c.LastTransitionTime = before.LastTransitionTime
			}
			*before = c
			return
		}
	}
	*conditions = append(*conditions, c)
	weight := func(c metav1.Condition) string {
		return map[string]string{"Available": "0", "Ready": "1"}[c.Type] + c.Type
	}
	slices.SortStableFunc(*conditions, func(a, b metav1.Condition) int { return strings.Compare(weight(a), weight(b)) })
}

// Condition finds one, nil for none.
func Condition(conditions []metav1.Condition, name string) *metav1.Condition {
	for i := range conditions {
		if conditions[i].Type == name {
			return &conditions[i]
		}
	}
	return nil
}

// IsTrue tells whether a condition is.
func IsTrue(conditions []metav1.Condition, name string) bool {
	c := Condition(conditions, name)
	return c != nil && c.Status == metav1.ConditionTrue
}

// Deref is the value behind a pointer, and the zero value for none.
func Deref[T any](p *T) (out T) {
	if p != nil {
		out = *p
	}
	return out
}

// To is a pointer to a value.
func To[T any](v T) *T { return &v }

// IsFalse tells whether a condition is known to be false.
func IsFalse(conditions []metav1.Condition, name string) bool {
	c := Condition(conditions, name)
	return c != nil && c.Status == metav1.ConditionFalse
}
