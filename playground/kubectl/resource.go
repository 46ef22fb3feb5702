package kubectl

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/schema"
	"kubewalk/playground/controlplane/client"
)

// info is one object that a command is about: named, listed, or read from a manifest.
// Upstream: cli-runtime pkg/resource/visitor.go, Info.
type info struct {
	kind      *api.Kind
	namespace string
	name      string
	source    string         // the manifest's name; "" when it is none
	tree      map[string]any // of a manifest
	typed     bool           // the command has made it up itself
	object    api.Object     // as the server has it, once it was read
}

// request begins a request about the object.
func (i *info) request(verb string) *client.Request {
	return &client.Request{Verb: verb, Resource: i.kind.GroupVersionResource(), Namespace: i.namespace, Name: i.name}
}

// String is how errors show what they are about.
// Upstream: cli-runtime pkg/resource/visitor.go, Info.String.
func (i *info) String() string {
	return fmt.Sprintf("Resource: %q, GroupVersionKind: %q\nName: %q, Namespace: %q",
		i.kind.GroupVersionResource().String(), i.kind.GroupVersionKind.String(), i.name, i.namespace)
}

// said is the object in kubectl's answers: "pod/web", "replicaset.apps/web".
func (i *info) said() string { return resourceName(i.kind) + "/" + i.name }

// resourceName is "pod", "replicaset.apps".
func resourceName(k *api.Kind) string {
	if k.Group == "" {
		return k.Singular
	}
	return k.Singular + "." + k.Group
}

// do sends a request.
func (s *session) do(r *client.Request) (client.Result, error) {
	r.DryRun = s.dryRun == "server" && r.Verb != client.Get && r.Verb != client.List
	if r.Warn == nil {
		r.Warn = s.warn
	}
	if s.verbosity() >= showTiming {
		return s.told(r)
	}
	result, err := s.transport.Do(s.p, r)
	return result, client.NotServed(r, err)
}

// object sends a request that is answered with an object.
func (s *session) object(r *client.Request) (api.Object, error) {
	return client.As[api.Object](s.do(r))
}

// managed says whether who manages fields is shown: on demand, and to templates.
// Upstream: cli-runtime pkg/genericclioptions/json_yaml_flags.go, ToPrinter, omits it for -o json and yaml alone.
func (s *session) managed() bool {
	return s.flags.yes("show-managed-fields") || strings.Contains(s.flags.text("output"), "=")
}

// read gets an object from the server. In a namespace that is not there, that
// is what is said.
// Upstream: cli-runtime pkg/resource/visitor.go, Info.Get.
func (s *session) read(i *info, table bool) (client.Result, error) {
	r := i.request(client.Get)
	r.Table, r.Subresource = table, s.flags.text("subresource")
	r.ManagedFields = s.managed()
	got, err := s.do(r)
	if apierrors.IsNotFound(err) && i.namespace != "" && i.namespace != metav1.NamespaceDefault {
		_, err2 := s.do(&client.Request{Verb: client.Get, Resource: api.GroupVersionResource{Version: "v1", Resource: "namespaces"}, Name: i.namespace})
		if apierrors.IsNotFound(err2) {
			return nil, err2
		}
	}
	if err != nil {
		return nil, err
	}
	if obj, ok := got.(api.Object); ok {
		i.object = obj
	}
	return got, s.decodable(i, i.kind.Kind)
}

// list reads what selectors match of a kind.
func (s *session) list(k *api.Kind, namespace, selector, fieldSelector string, table bool) (client.Result, error) {
	r := &client.Request{Verb: client.List, Resource: k.GroupVersionResource(), Namespace: namespace, Table: table,
		List: metav1.ListOptions{LabelSelector: selector, FieldSelector: fieldSelector}}
	r.ManagedFields = s.managed()
	if s.name == "get" || s.name == "describe" {
		r.List.Limit = s.flags.number("chunk-size", defaultChunkSize)
	}
	whole, err := s.do(r)
	for at := next(whole); at != "" && err == nil; {
		more := *r
		more.List.Continue = at
		var page client.Result
		if page, err = s.do(&more); err == nil {
			whole, at = appended(whole, page), next(page)
		}
	}
	return whole, enhanceListError(err, r)
}

// defaultChunkSize is how many objects get and describe ask for at a time.
// Upstream: kubectl pkg/cmd/util/helpers.go, DefaultChunkSize.
const defaultChunkSize = 500

// next is where a list goes on; "" at its end.
func next(page client.Result) string {
	switch page := page.(type) {
	case *metav1.Table:
		return page.Continue
	case api.List:
		return page.GetListMeta().GetContinue()
	}
	return ""
}

// appended is a list with its next page. Upstream: cli-runtime pkg/resource/visitor.go and helper.go, FollowContinue.
func appended(whole, page client.Result) client.Result {
	switch whole := whole.(type) {
	case *metav1.Table:
		more, ok := page.(*metav1.Table)
		if !ok {
			return page
		}
		both := *whole
		both.Rows = append(slices.Clone(whole.Rows), more.Rows...)
		return &both
	case api.List:
		if more, ok := page.(api.List); ok {
			whole.SetItems(append(whole.GetItems(), more.GetItems()...))
		}
	}
	return whole
}

// enhanceListError is upstream's cli-runtime pkg/resource/selector.go, EnhanceListError.
func enhanceListError(err error, r *client.Request) error {
	var status *apierrors.StatusError
	if !errors.As(err, &status) || strings.HasPrefix(status.ErrStatus.Message, "Unable to ") {
		return err // or it has been said
	}
	out := *status
	gvr := r.Resource.Group + "/" + r.Resource.Version + ", Resource=" + r.Resource.Resource
	switch {
	case apierrors.IsBadRequest(err):
		out.ErrStatus.Message = fmt.Sprintf("Unable to find %q that match label selector %q, field selector %q: %v", gvr, r.List.LabelSelector, r.List.FieldSelector,
			err)
	case apierrors.IsNotFound(err):
		out.ErrStatus.Message = fmt.Sprintf("Unable to list %q: %v", gvr, err)
	default:
		return err
	}
	return &out
}

// items are the objects of a list that was asked for.
func (s *session) items(k *api.Kind, namespace, selector, fieldSelector string) ([]api.Object, error) {
	got, err := s.list(k, namespace, selector, fieldSelector, false)
	if err != nil {
		return nil, err
	}
	list, ok := got.(api.List)
	if !ok {
		return nil, fmt.Errorf("the server answered with %T instead of a list", got)
	}
	return list.GetItems(), nil
}

// errNoResource is that nothing is named. Upstream: cli-runtime pkg/resource/builder.go, missingResourceError.
var errNoResource = errors.New("You must provide one or more resources by argument or filename.\nExample resource specifications include:\n" +
	"   '-f rsrc.yaml'\n   '--filename=rsrc.json'\n   '<resource> <name>'\n   '<resource>'")

// target is what a person calls on the command line: a kind, and a name when one is given.
type target struct {
	kind *api.Kind
	name string
}

// kindNamed resolves what a person calls a resource.
func (s *session) kindNamed(name string) (*api.Kind, error) {
	if k := s.resolve(name); k != nil && k.Resource != "" {
		return k, nil
	}
	// Whatever group was asked for. Upstream: cli-runtime pkg/resource/builder.go, mappingFor.
	resource, _, _ := strings.Cut(name, ".")
	return nil, fmt.Errorf("the server doesn't have a resource type %q", resource)
}

// kindsNamed resolves "pods", "rs,pods" and categories ("all").
func (s *session) kindsNamed(names string) ([]*api.Kind, error) {
	var out []*api.Kind
	for _, name := range strings.Split(names, ",") {
		if name == "" {
			continue
		}
		found := false
		for _, k := range s.kinds() {
			if slices.Contains(k.Categories, name) && k.NewList != nil {
				out, found = append(out, k), true
			}
		}
		if found {
			continue
		}
		k, err := s.kindNamed(name)
		if err != nil {
			return nil, err
		}
		out = append(out, k)
	}
	return out, nil
}

// targets reads arguments: TYPE, TYPE NAME…, TYPE/NAME….
// Upstream: cli-runtime pkg/resource/builder.go, ResourceTypeOrNameArgs.
func (s *session) targets(args []string) ([]target, error) {
	slashes := 0
	for _, a := range args {
		if strings.Contains(a, "/") {
			slashes++
		}
	}
	var out []target
	if slashes > 0 {
		if slashes < len(args) {
			return nil, fmt.Errorf(
				"there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource resource/<resource_name>'")
		}
		for _, a := range args {
			kind, name, _ := strings.Cut(a, "/")
			switch {
			case strings.Contains(name, "/"):
				return nil, fmt.Errorf("arguments in resource/name form may not have more than one slash")
			case kind == "" || name == "":
				return nil, fmt.Errorf("arguments in resource/name form must have a single resource and name")
			}
			k, err := s.kindNamed(kind)
			if err != nil {
				return nil, err
			}
			out = append(out, target{k, name})
		}
		return out, nil
	}
	if len(args) == 0 {
		return nil, nil
	}
	kinds, err := s.kindsNamed(args[0])
	if err != nil {
		return nil, err
	}
	for _, k := range kinds {
		for _, name := range args[1:] {
			out = append(out, target{k, name})
		}
		if len(args) == 1 {
			out = append(out, target{kind: k})
		}
	}
	return out, nil
}

// multipleTypes says that a command asked for more than one kind.
// Upstream: cli-runtime pkg/resource/builder.go, MultipleTypesRequested.
func (s *session) multipleTypes(args []string) bool {
	var first string
	for _, a := range args {
		kind, _, slash := strings.Cut(a, "/")
		if !slash {
			kinds, _ := s.kindsNamed(a)
			return strings.Contains(a, ",") || len(kinds) > 1
		}
		if first != "" && first != kind {
			return true
		}
		first = kind
	}
	return false
}

// in is the namespace of a kind's objects: none for what is in none.
func (s *session) in(k *api.Kind) string {
	switch {
	case !k.Namespaced:
		return ""
	case s.flags.yes("all-namespaces"):
		return metav1.NamespaceAll
	}
	return s.namespace
}

// infos are all objects that a command is about: from -f, by name, by selectors
// or, with --all, all. Those by name were not read yet.
func (s *session) infos(args []string) ([]*info, error) {
	if len(s.flags.all("filename")) > 0 {
		if len(args) > 0 {
			return nil, fmt.Errorf("when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well")
		}
		return s.manifests()
	}
	selector, fieldSelector := s.flags.text("selector"), s.flags.text("field-selector")
	if s.name == "expose" {
		selector = "" // which is the Service's
	}
	selects := selector != "" || fieldSelector != ""
	// Of these commands, --all is a selector. Upstream: builder.go, SelectAllParam.
	if s.flags.yes("all") && (s.name == "delete" || s.name == "apply view-last-applied") {
		if selects {
			return nil, errors.New("setting 'all' parameter but found a non empty selector. ")
		}
		selects = true
	}
	all, err := s.targets(args)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, errNoResource
	}
	var out []*info
	for _, t := range all {
		if t.name != "" {
			if selects {
				return nil, fmt.Errorf("name cannot be provided when a selector is specified")
			}
			if s.flags.yes("all-namespaces") && t.kind.Namespaced {
				return nil, fmt.Errorf("a resource cannot be retrieved by name across all namespaces")
			}
			out = append(out, &info{kind: t.kind, namespace: s.in(t.kind), name: t.name})
			continue
		}
		if !selects && !s.flags.yes("all") && !s.flags.yes("all-namespaces") && s.name != "edit" {
			return nil, fmt.Errorf("resource(s) were provided, but no name was specified")
		}
		objects, err := s.items(t.kind, s.in(t.kind), selector, fieldSelector)
		if err != nil {
			return nil, err
		}
		for _, obj := range objects {
			out = append(out, &info{kind: t.kind, namespace: obj.GetNamespace(), name: obj.GetName(), object: obj})
			if err := s.decodable(out[len(out)-1], t.kind.Kind+"List"); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// stdin is what kubectl calls what it reads from standard input.
// Upstream: cli-runtime pkg/resource/visitor.go, constSTDINstr.
const stdin = "STDIN"

// manifests are the objects of what -f reads, in its order.
func (s *session) manifests() ([]*info, error) {
	var doc any
	if err := decode(s.stdin, &doc); err != nil {
		return nil, fmt.Errorf("error parsing %s: error converting YAML to JSON: %v", s.file, jsonError(s.stdin, err))
	}
	var out []*info
	err := s.documents(doc, &out)
	if err == nil && len(out) == 0 {
		err = errors.New("no objects passed to " + strings.Fields(s.name)[0])
	}
	return out, err
}

// jsonError is what encoding/json says of a whole text: a stream ends otherwise.
func jsonError(text []byte, err error) error {
	var any any
	if whole := json.Unmarshal(text, &any); whole != nil {
		return whole
	}
	return err
}

func (s *session) documents(doc any, out *[]*info) error {
	if list, ok := doc.([]any); ok {
		for _, d := range list {
			if err := s.documents(d, out); err != nil {
				return err
			}
		}
		return nil
	}
	m, ok := doc.(map[string]any)
	if !ok {
		return fmt.Errorf("unable to decode %q: json: cannot unmarshal %s into Go value of type unstructured.detector", s.file, jsonKind(doc))
	}
	if items, ok := m["items"].([]any); ok && strings.HasSuffix(textAt(m, "kind"), "List") {
		return s.documents(items, out)
	}
	i, err := s.manifest(m)
	if err == nil {
		*out = append(*out, i)
	}
	return err
}

func jsonKind(v any) string {
	switch v.(type) {
	case string:
		return "string"
	case bool:
		return "bool"
	case json.Number:
		return "number"
	}
	return "null"
}

// manifest finds out what a manifest is about. The rest is the server's to judge.
func (s *session) manifest(m map[string]any) (*info, error) {
	i := &info{tree: m, source: s.file}
	kind, version := textAt(m, "kind"), textAt(m, "apiVersion")
	if kind == "" || version == "" {
		what := "kind"
		if kind != "" {
			what = "apiVersion"
		}
		return nil, fmt.Errorf("error validating %q: error validating data: %s not set; if you choose to ignore these errors, turn validation off with --validate=false", s.file, what)
	}
	i.name, i.namespace = textAt(m, "metadata", "name"), textAt(m, "metadata", "namespace")
	gv, err := schema.ParseGroupVersion(version)
	if err == nil {
		i.kind = s.known(func(kinds api.KindSet) *api.Kind { return kinds.For(gv.WithKind(kind)) })
	}
	if i.kind == nil || i.kind.Resource == "" {
		name := i.name
		if name == "" {
			name = textAt(m, "metadata", "generateName")
		}
		return nil, fmt.Errorf("resource mapping not found for name: %q namespace: %q from %q: no matches for kind %q in version %q\nensure CRDs are installed first",
			name, i.namespace, s.file, kind, version)
	}
	switch {
	case !i.kind.Namespaced:
		i.namespace = ""
	case i.namespace == "":
		i.namespace = s.namespace
		// What is sent, and what apply remembers, names it too.
		inside(m, "metadata")["namespace"] = i.namespace
	case s.enforced && i.namespace != s.namespace:
		return nil, fmt.Errorf("the namespace from the provided object %q does not match the namespace %q. You must pass '--namespace=%s' to perform this operation.",
			i.namespace, s.namespace, i.namespace)
	}
	return i, nil
}

// each does something with every object, and goes on when it fails with one.
func (s *session) each(infos []*info, do func(*info) error) error {
	var failed aggregate
	for _, i := range infos {
		if err := do(i); err != nil {
			failed = append(failed, err)
		}
	}
	return failed.orNil()
}

// eachFetched is each of the objects that a command changes, as the server has them now. What is not there, it says with the rest.
func (s *session) eachFetched(args []string, do func(*info) error) error {
	infos, err := s.infos(args)
	if err != nil {
		return err
	}
	return s.each(infos, s.fetching(do))
}

// fetching is something that is done with an object once it was read.
func (s *session) fetching(do func(*info) error) func(*info) error {
	return func(i *info) error {
		if i.object == nil {
			if _, err := s.read(i, false); err != nil {
				return err
			}
		}
		return do(i)
	}
}

// decodable says that a command reads only what client-go has types of, which a custom object isn't.
// Upstream: cli-runtime pkg/resource/builder.go, Builder.WithScheme.
func (s *session) decodable(i *info, kind string) error {
	if _, custom := i.object.(*api.Unstructured); custom {
		switch command, _, _ := strings.Cut(s.name, " "); command {
		case "attach", "exec", "expose", "logs", "port-forward", "rollout", "set":
			return fmt.Errorf("no kind %q is registered for version %q in scheme \"pkg/runtime/scheme.go:111\"", kind, i.kind.GroupVersion())
		}
	}
	return nil
}

// goType is the name of a built-in kind's type in Go, upstream.
func (i *info) goType() string { return "*" + i.kind.Version + "." + i.kind.Kind }

// fetched are the objects that a command changes, as the server has them now, if all are there.
func (s *session) fetched(args []string) ([]*info, error) {
	infos, err := s.infos(args)
	if err != nil {
		return nil, err
	}
	return infos, s.each(infos, s.fetching(func(*info) error { return nil }))
}

// podKind is needed by many commands.
var podKind = api.KindOf(new(corev1.Pod))
