package apiserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apiextensionsv1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/objectmeta"
	"kubewalk/playground/controlplane/apiserver/admission"
	"kubewalk/playground/controlplane/apiserver/customresource"
	"kubewalk/playground/controlplane/apiserver/registry"
	"kubewalk/playground/controlplane/apiserver/validation"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
)

// conversion asks the webhook of a definition to make objects of one version those of another. It implements registry.Converter.
//
// Simplified: upstream converts what comes from etcd one by one, for the watch cache of each version. Here a list or a watch has objects
// converted when it needs them, all at once, and what was converted is kept; so a list fails where upstream may still have one. What is wrong with
// one of them is said as if it had been alone.
// Upstream: apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go.
type conversion struct {
	server *Server
	hook   *apiextensionsv1.WebhookConversion
	rand   *sim.Rand                     // picks endpoints and the uids of reviews
	kept   map[string]map[store.Key]kept // by version
}

// kept is an object as it was converted for lists and watches.
type kept struct{ of, as api.Object }

// conversionOf is the converter of a definition, nil if versions differ in their names alone.
func (s *Server) conversionOf(crd *apiextensionsv1.CustomResourceDefinition) registry.Converter {
	if c := crd.Spec.Conversion; c != nil && c.Strategy == apiextensionsv1.WebhookConverter {
		return &conversion{server: s, hook: c.Webhook, rand: s.kernel.Rand("apiserver/webhooks/conversion/" + crd.Name), kept: map[string]map[store.Key]kept{}}
	}
	return nil
}

// conversionReview is the body of both directions. Upstream: apiextensions/v1, ConversionReview; v1beta1 has the same fields.
type conversionReview struct {
	Kind       string              `json:"kind"`
	APIVersion string              `json:"apiVersion"`
	Request    *conversionRequest  `json:"request,omitempty"`
	Response   *conversionResponse `json:"response,omitempty"`
}

type conversionRequest struct {
	UID               string       `json:"uid"`
	DesiredAPIVersion string       `json:"desiredAPIVersion"`
	Objects           []api.Object `json:"objects"`
}

type conversionResponse struct {
	UID              string            `json:"uid"`
	ConvertedObjects []json.RawMessage `json:"convertedObjects"`
	Result           metav1.Status     `json:"result"`
}

// conversionTimeout is that of upstream's client, however long the request itself may take.
// Upstream: apiserver/pkg/util/webhook/authentication.go, rest.Config.
const conversionTimeout = 30 * time.Second

// Convert implements registry.Converter.
func (c *conversion) Convert(p *sim.Proc, objs []api.Object, to *customresource.Resource) ([]api.Object, error) {
	if len(objs) == 0 {
		return objs, nil
	}
	desired := to.Kind.GroupVersion().String()
	out := slices.Clone(objs)
	var old []int
	for i, obj := range objs {
		if u := obj.(*api.Unstructured); u.APIVersion == desired {
			out[i] = to.Served(u)
		} else {
			old = append(old, i)
		}
	}
	if len(old) == 0 {
		return out, nil
	}
	of := objs[old[0]].GetObjectKind().GroupVersionKind()
	asked := make([]api.Object, len(old))
	for i, at := range old {
		asked[i] = objs[at]
	}
	answers, err := c.ask(p, asked, desired)
	switch {
	case err == errNoReviewVersion:
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("conversion webhook for %v failed: %v", of, err)
	case len(answers) != len(asked):
		return nil, fmt.Errorf("conversion webhook for %v returned %d objects, expected %d", of, len(answers), len(asked))
	}
	for i, at := range old {
		tree, err := convertedTree(answers[i])
		if err != nil {
			return nil, err
		}
		was := objs[at].(*api.Unstructured)
		var meta *metav1.ObjectMeta
		what := "object at index 0"
		if err = sameKind(was, tree, to.Kind.GroupVersion()); err == nil {
			what, err = "object", sameObject(was, tree)
		}
		if err == nil {
			what = "metadata"
			meta, err = restoredMeta(was, tree)
		}
		if err != nil {
			return nil, fmt.Errorf("conversion webhook for %v returned invalid %s: %v", of, what, err)
		}
		for _, name := range []string{"apiVersion", "kind", "metadata"} {
			delete(tree, name)
		}
		out[at] = to.Converted(meta, tree)
	}
	return out, nil
}

// errNoReviewVersion is upstream's createConversionReviewObjects' error.
var errNoReviewVersion = errors.New("no supported conversion review versions")

// ask sends the review, and reads what comes back. Upstream: webhookConverter.Convert and getConvertedObjectsFromResponse.
func (c *conversion) ask(p *sim.Proc, objs []api.Object, desired string) ([]json.RawMessage, error) {
	version := ""
	for _, v := range c.hook.ConversionReviewVersions {
		if v == "v1" || v == "v1beta1" {
			version = "apiextensions.k8s.io/" + v
			break
		}
	}
	if version == "" {
		return nil, errNoReviewVersion
	}
	uid := c.rand.UUID()
	body, err := json.Marshal(&conversionReview{Kind: "ConversionReview", APIVersion: version,
		Request: &conversionRequest{uid, desired, objs}, Response: &conversionResponse{}})
	if err != nil {
		return nil, err
	}
	const late = "net/http: request canceled (Client.Timeout exceeded while awaiting headers)"
	answer, err := admission.Post(p, c.server.store, c.rand, webhooks{c.server}, validation.ConversionClient(c.hook.ClientConfig), body,
		conversionTimeout, late)
	if err != nil {
		return nil, err
	}
	var review conversionReview
	if err := admission.Decode(answer, version, "ConversionReview", &review); err != nil {
		return nil, err
	}
	if version == "apiextensions.k8s.io/v1" && (review.APIVersion != version || review.Kind != "ConversionReview") {
		return nil, fmt.Errorf("expected webhook response of %s, Kind=ConversionReview, got %v", version, gvkOf(review.APIVersion, review.Kind))
	}
	r := review.Response
	switch {
	case r == nil:
		return nil, errors.New("no response provided")
	case version == "apiextensions.k8s.io/v1" && r.UID != uid:
		return nil, fmt.Errorf("expected response.uid=%q, got %q", uid, r.UID)
	case r.Result.Status != metav1.StatusSuccess && r.Result.Message != "":
		return nil, errors.New(r.Result.Message)
	case r.Result.Status != metav1.StatusSuccess:
		return nil, fmt.Errorf("response.result.status was '%s', not 'Success'", r.Result.Status)
	}
	return r.ConvertedObjects, nil
}

// convertedTree reads an object that came back. Upstream: getRawExtensionObject.
func convertedTree(text []byte) (tree map[string]any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&tree); err != nil {
		return nil, err
	}
	if kind, _ := tree["kind"].(string); kind == "" {
		return nil, fmt.Errorf("Object 'Kind' is missing in '%s'", text)
	}
	return tree, nil
}

func gvkOf(version, kind string) api.GroupVersionKind {
	t := metav1.TypeMeta{APIVersion: version, Kind: kind}
	return t.GroupVersionKind()
}

func sameKind(was *api.Unstructured, tree map[string]any, want api.GroupVersion) error {
	version, _ := tree["apiVersion"].(string)
	kind, _ := tree["kind"].(string)
	got := gvkOf(version, kind)
	if got.GroupVersion() != want {
		return fmt.Errorf("invalid groupVersion (expected %v, received %v)", want, got.GroupVersion())
	}
	if was.Kind != kind {
		return fmt.Errorf("invalid kind (expected %v, received %v)", was.Kind, kind)
	}
	return nil
}

// sameObject is upstream's validateConvertedObject: labels and annotations alone may be others.
func sameObject(was *api.Unstructured, tree map[string]any) error {
	meta, _ := tree["metadata"].(map[string]any)
	for _, f := range []struct{ name, key, want string }{{"name", "name", was.Name}, {"namespace", "namespace", was.Namespace}, {"UID", "uid", string(was.UID)}} {
		if got, _ := meta[f.key].(string); got != f.want {
			return fmt.Errorf("must have the same %s: %v != %v", f.name, f.want, got)
		}
	}
	return nil
}

// typeOf names the type that a value has where upstream decodes it.
func typeOf(value any) string {
	if number, ok := value.(json.Number); ok {
		if _, err := number.Int64(); err != nil {
			return "float64"
		}
		return "int64"
	}
	return fmt.Sprintf("%T", value)
}

// restoredMeta is upstream's restoreObjectMeta.
func restoredMeta(was *api.Unstructured, tree map[string]any) (*metav1.ObjectMeta, error) {
	value, found := tree["metadata"]
	if !found {
		return nil, errors.New("missing metadata in converted object")
	}
	meta, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("invalid metadata of type %s in converted object", typeOf(value))
	}
	var out metav1.ObjectMeta
	was.ObjectMeta.DeepCopyInto(&out)
	for _, f := range []struct {
		name  string
		texts *map[string]string
		check func(map[string]string, *field.Path) field.ErrorList
		path  string
	}{{"labels", &out.Labels, objectmeta.ValidateLabels, "labels"}, {"annotations", &out.Annotations, objectmeta.ValidateAnnotations, "annotation"}} {
		before := *f.texts
		*f.texts = nil
		value := meta[f.name]
		if value == nil {
			continue
		}
		given, ok := value.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("invalid metadata.%s of type %s in converted object", f.name, typeOf(value))
		}
		texts := make(map[string]string, len(given))
		for _, key := range slices.Sorted(maps.Keys(given)) {
			text, ok := given[key].(string)
			if !ok {
				return nil, fmt.Errorf("metadata.%s[%s] must be a string, but is %s in converted object", f.name, key, typeOf(given[key]))
			}
			texts[key] = text
		}
		if !maps.Equal(before, texts) {
			if errs := f.check(texts, field.NewPath("metadata", f.path)); len(errs) > 0 {
				return nil, errs.ToAggregate()
			}
		}
		*f.texts = texts
	}
	return &out, nil
}

// converted are stored objects as a version serves them, of which those that were converted before are kept.
func (s *Server) converted(p *sim.Proc, e *registry.Store, objs []api.Object) ([]api.Object, error) {
	c := e.Converter.(*conversion)
	known := c.kept[e.Kind.Version]
	if known == nil || len(known) > 2*len(objs)+1000 { // most of them are gone
		known = map[store.Key]kept{}
		c.kept[e.Kind.Version] = known
	}
	out := make([]api.Object, len(objs))
	var missing []api.Object
	for i, obj := range objs {
		if k, ok := known[e.KeyOf(obj)]; ok && k.of == obj {
			out[i] = k.as
		} else {
			missing = append(missing, obj)
		}
	}
	made, err := e.Converter.Convert(p, missing, e.Custom)
	if err != nil {
		return nil, err
	}
	for i, n := 0, 0; i < len(objs); i++ {
		if out[i] == nil {
			out[i] = made[n]
			known[e.KeyOf(objs[i])] = kept{objs[i], made[n]}
			n++
		}
	}
	return out, nil
}

// converting has a watch's objects converted, by a process of its own, so that events keep their order.
type converting struct {
	queue   []func(p *sim.Proc) error
	running bool
}

// later does something after all that came before it was converted.
func (w *watch) later(do func(p *sim.Proc) error) {
	s := w.server
	cause := s.kernel.Cause()
	w.converting.queue = append(w.converting.queue, func(p *sim.Proc) error {
		p.Due(cause)
		return do(p)
	})
	if w.converting.running {
		return
	}
	w.converting.running = true
	s.component.Go("watch-conversion", func(p *sim.Proc) {
		for len(w.converting.queue) > 0 && !w.stream.Closed() {
			next := w.converting.queue[0]
			w.converting.queue = w.converting.queue[1:]
			if err := next(p); err != nil {
				w.fail(errorToAPIStatus(err))
			}
		}
		w.converting.running = false
	})
}

// convertedEvent sends an event whose objects have to be converted.
func (w *watch) convertedEvent(e store.Event) {
	w.later(func(p *sim.Proc) error {
		for _, obj := range []*api.Object{&e.Previous, &e.Object} {
			if *obj == nil {
				continue
			}
			out, err := w.server.converted(p, w.registry, []api.Object{*obj})
			if err != nil {
				return err
			}
			*obj = out[0]
		}
		w.deliver(e)
		return nil
	})
}

// convertedInitial sends what there is.
func (w *watch) convertedInitial(objs []api.Object) {
	w.later(func(p *sim.Proc) error {
		out, err := w.server.converted(p, w.registry, objs)
		if err != nil {
			return err
		}
		for _, obj := range out {
			if w.filter.matches(obj) {
				w.send(client.Added, obj, obj.GetResourceVersion())
			}
		}
		return nil
	})
}
