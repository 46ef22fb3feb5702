//go:build !js

package cri

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/fields"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/objectmeta"
	"kubewalk/playground/api/patching"
	"kubewalk/playground/api/types"
	"kubewalk/playground/sim"
)

// sampleAPI is sample-apiserver: it serves wardle.example.com, and has its objects in the etcd beside it.
//
// Simplified: as with the clock, who asks is believed to be whom the header names, and may do everything. Of admission there is BanFlunder; the
// plugins that would ask the cluster's API server are absent. There are no watches, no managed fields, and so no server-side apply;
// lists come whole. It logs nothing. Upstream: k8s.io/sample-apiserver, and of k8s.io/apiserver what it consists of.
type sampleAPI struct {
	etcdHost string
	etcdPort int32
}

func (*sampleAPI) hears(string, int32) bool { return false }

func (a *sampleAPI) serve(in *Inside, request Request, done func(Response)) {
	kernel := in.runtime.kernel
	c := &sampleCall{Request: request, now: kernel.Time(), rand: kernel.Rand("sample-apiserver"), etcd: a.etcd(in),
		unreachable: "dial tcp " + a.etcdHost + ":" + strconv.Itoa(int(a.etcdPort)) + ": connect: connection refused"}
	status, body := c.answer()
	done(Response{Status: status, Body: body})
}

// etcd finds it in the own Pod. It is nil if it does not run.
func (a *sampleAPI) etcd(in *Inside) *etcdServer {
	for _, c := range in.runtime.containersOf(in.sandbox.ID) {
		if t := in.runtime.tasks[c.ID]; t != nil && t.listens(in.runtime.kernel.Elapsed(), c, "tcp", a.etcdPort) {
			e, _ := t.program.Endpoints.(*etcdServer)
			return e
		}
	}
	return nil
}

// sampleCall is one request while it is answered.
type sampleCall struct {
	Request
	*apiPath
	resource *wardleResource
	query    url.Values
	now      time.Time
	rand     *sim.Rand

	etcd        *etcdServer
	unreachable string
}

func (c *sampleCall) answer() (int, string) {
	path, query, _ := strings.Cut(parseURL(c.URL).path, "?")
	switch strings.TrimSuffix(path, "/") {
	case "/healthz", "/livez", "/readyz":
		return c.health(strings.Trim(path, "/"))
	case "/apis":
		return 200, encoded(map[string]any{"kind": "APIGroupList", "apiVersion": "v1", "groups": []any{wardleDiscovery()}})
	case "/apis/" + wardleGroup:
		group := wardleDiscovery()
		group["kind"], group["apiVersion"] = "APIGroup", "v1"
		return 200, encoded(group)
	}
	at := apiPathOf(c.URL)
	if at == nil || at.group != wardleGroup || wardleVersions[at.version] == nil {
		return nowhere()
	}
	resources := wardleVersions[at.version]
	c.apiPath = at
	c.query, _ = url.ParseQuery(query)
	if at.resource == "" {
		return 200, c.discovery(resources)
	}
	i := slices.IndexFunc(resources, func(r *wardleResource) bool { return r.name == at.resource })
	if i < 0 || at.namespace != "" && !resources[i].namespaced {
		return nowhere()
	}
	c.resource = resources[i]
	status, body, err := c.do()
	if err != nil {
		return refused(err)
	}
	return status, body
}

// health is what probes ask. Upstream: apiserver/pkg/server/healthz/healthz.go, handleRootHealth; of the checks these three.
func (c *sampleCall) health(name string) (int, string) {
	if c.etcd == nil {
		return 500, "[+]ping ok\n[+]log ok\n[-]etcd failed: reason withheld\n" + name + " check failed\n"
	}
	return 200, "ok"
}

// wardleDiscovery are the versions. Upstream: metav1.APIGroup.
func wardleDiscovery() map[string]any {
	version := func(v string) map[string]string {
		return map[string]string{"groupVersion": wardleGroup + "/" + v, "version": v}
	}
	return map[string]any{"name": wardleGroup, "versions": []any{version(wardleBeta), version(wardleAlpha)}, "preferredVersion": version(wardleBeta)}
}

func (c *sampleCall) discovery(resources []*wardleResource) string {
	var list []map[string]any
	for _, r := range resources {
		list = append(list, apiResource(r.name, r.singular, r.kind, r.namespaced, "create", "delete", "deletecollection", "get", "list", "patch", "update"))
	}
	return encoded(resourceList(c.groupVersion(), list...))
}

func (c *sampleCall) groupVersion() string { return c.group + "/" + c.version }

// do carries out what a method says.
func (c *sampleCall) do() (int, string, error) {
	if c.etcd == nil {
		return 0, "", fmt.Errorf(`rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: %s"`, c.unreachable)
	}
	watches, _ := strconv.ParseBool(c.query.Get("watch"))
	switch one := c.name != "" && (c.namespace != "" || !c.resource.namespaced); {
	case watches && c.Method == "GET":
		return c.not("watch")
	case c.Method == "GET" && one:
		o, err := c.get()
		if err != nil {
			return 0, "", err
		}
		return c.say(200, o)
	case c.Method == "GET" && c.name == "":
		return c.list(false)
	case c.Method == "POST" && c.name == "" && (c.namespace != "" || !c.resource.namespaced):
		return c.create()
	case c.Method == "PUT" && one:
		return c.update(c.replaced)
	case c.Method == "PATCH" && one:
		return c.update(c.patched)
	case c.Method == "DELETE" && one:
		return c.delete()
	case c.Method == "DELETE" && c.name == "":
		return c.list(true)
	}
	return c.not(map[string]string{"GET": "get", "POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}[c.Method])
}

func (c *sampleCall) not(verb string) (int, string, error) {
	return 0, "", apierrors.NewMethodNotSupported(c.groupResource(), verb)
}

// key is where an object is stored. Upstream: start.go, defaultEtcdPathPrefix; the rest is the library's.
func (c *sampleCall) key(r *wardleResource, namespace, name string) string {
	key := "/registry/" + wardleGroup + "/" + wardleGroup + "/" + r.name + "/"
	if namespace != "" {
		key += namespace + "/"
	}
	return key + name
}

// load reads what is stored.
func load(r *wardleResource, k etcdKey) *wardleObject {
	stored := r.in(wardleAlpha)
	_ = json.Unmarshal([]byte(k.value), stored) // as written below
	o := &wardleObject{}
	stored.to(o)
	_, meta := stored.head()
	o.meta, o.meta.ResourceVersion = *meta, strconv.FormatInt(k.revision, 10)
	return o
}

// text is an object as JSON in a version.
func (r *wardleResource) text(version string, o *wardleObject) string {
	out := r.in(version)
	out.from(o)
	head, meta := out.head()
	head.APIVersion, head.Kind, *meta = wardleGroup+"/"+version, r.kind, o.meta
	return encoded(out)
}

func (c *sampleCall) store(o *wardleObject) {
	o.meta.ResourceVersion = ""
	revision := c.etcd.put(c.key(c.resource, o.meta.Namespace, o.meta.Name), c.resource.text(wardleAlpha, o))
	o.meta.ResourceVersion = strconv.FormatInt(revision, 10)
}

func (c *sampleCall) get() (*wardleObject, error) {
	key := c.key(c.resource, c.namespace, c.name)
	i, found := c.etcd.find(key)
	if !found {
		return nil, apierrors.NewNotFound(c.groupResource(), c.name)
	}
	return load(c.resource, c.etcd.keys[i]), nil
}

// say answers with an object.
func (c *sampleCall) say(code int, o *wardleObject) (int, string, error) {
	if asksForTable(c.Header) {
		return code, c.table(o.meta.ResourceVersion, o), nil
	}
	return code, c.resource.text(c.version, o), nil
}

// table is upstream's rest/table.go, NewDefaultTableConvertor.
func (c *sampleCall) table(revision string, objects ...*wardleObject) string {
	rows := []tableRow{}
	for _, o := range objects {
		rows = append(rows, tableRow{o.meta, []string{o.meta.Name, o.meta.CreationTimestamp.UTC().Format(time.RFC3339)}})
	}
	out := table(metav1.ListMeta{ResourceVersion: revision}, []string{"Name", "Created At"}, rows)
	out["columnDefinitions"].([]metav1.TableColumnDefinition)[1].Type = "date"
	return encoded(out)
}

// list answers with all objects, or those of a namespace, that the selectors pick. With remove, they are deleted.
// Upstream: generic/registry/store.go, ListPredicate and DeleteCollection.
func (c *sampleCall) list(remove bool) (int, string, error) {
	byLabels, err := labels.Parse(c.query.Get("labelSelector"))
	if err != nil {
		return 0, "", apierrors.NewBadRequest(err.Error())
	}
	byFields, err := fields.ParseAndTransformSelector(c.query.Get("fieldSelector"), func(name, value string) (string, string, error) {
		if name == "metadata.name" || name == "metadata.namespace" {
			return name, value, nil
		}
		return "", "", fmt.Errorf("%q is not a known field selector: only %q, %q", name, "metadata.name", "metadata.namespace")
	})
	if err != nil {
		return 0, "", apierrors.NewBadRequest(err.Error())
	}
	var objects []*wardleObject
	for _, k := range c.etcd.under(c.key(c.resource, c.namespace, "")) {
		o := load(c.resource, k)
		set := fields.Set{"metadata.name": o.meta.Name}
		if c.resource.namespaced {
			set["metadata.namespace"] = o.meta.Namespace
		}
		if byLabels.Matches(labels.Set(o.meta.Labels)) && byFields.Matches(set) {
			objects = append(objects, o)
		}
	}
	if remove {
		for _, o := range objects {
			if !c.dryRun() {
				c.drop(o)
			}
		}
	}
	revision := strconv.FormatInt(c.etcd.revision, 10)
	if asksForTable(c.Header) && !remove {
		return 200, c.table(revision, objects...), nil
	}
	items := []json.RawMessage{}
	for _, o := range objects {
		items = append(items, json.RawMessage(c.resource.text(c.version, o)))
	}
	return 200, encoded(map[string]any{"kind": c.resource.kind + "List", "apiVersion": c.groupVersion(),
		"metadata": metav1.ListMeta{ResourceVersion: revision}, "items": items}), nil
}

func (c *sampleCall) dryRun() bool { return c.query.Get("dryRun") == metav1.DryRunAll }

// decode reads a body as strictly as the request wants it. Upstream: endpoints/handlers/create.go, transformDecodeError.
func (c *sampleCall) decode(text []byte) (*wardleObject, error) {
	r, want := c.resource, api.GroupVersionKind{Group: c.group, Version: c.version, Kind: c.resource.kind}
	found, err := api.ReadKind(text, &want)
	if err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the object provided is unrecognized (must be of type %s): %v", r.kind, err))
	}
	if found.GroupVersion() != want.GroupVersion() {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the API version in the data (%s) does not match the expected API version (%s)", found.GroupVersion(),
			want.GroupVersion()))
	}
	cannot := func(why string) error {
		return apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %s", found.Kind, found.Version, r.kind, why))
	}
	if found != want {
		return nil, cannot(fmt.Sprintf("converting (%s) to (%s): unknown conversion", found, want))
	}
	in := r.in(c.version)
	strict, err := api.DecodeInto(text, in)
	if err != nil {
		return nil, cannot(err.Error())
	}
	if strict != nil && c.query.Get("fieldValidation") == metav1.FieldValidationStrict {
		return nil, cannot(strict.Error())
	}
	o := &wardleObject{}
	in.to(o)
	_, meta := in.head()
	o.meta = *meta
	o.meta.ManagedFields, o.meta.SelfLink, o.meta.Generation = nil, "", 0
	if o.meta.Namespace == "" {
		o.meta.Namespace = c.namespace
	}
	if o.meta.Namespace != c.namespace {
		return nil, apierrors.NewBadRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	return o, nil
}

func (c *sampleCall) invalid(name string, errs field.ErrorList) error {
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(api.GroupKind{Group: c.group, Kind: c.resource.kind}, name, errs)
}

// maxSampleNames is how often a generated name is tried. Upstream: generic/registry/store.go, maxNameGenerationCreateAttempts.
const maxSampleNames = 8

// create is upstream's endpoints/handlers/create.go, and rest/create.go, BeforeCreate.
func (c *sampleCall) create() (int, string, error) {
	o, err := c.decode([]byte(c.Body))
	if err != nil {
		return 0, "", err
	}
	if err := c.banned(o.meta.Name); err != nil {
		return 0, "", err
	}
	meta := &o.meta
	meta.UID, meta.CreationTimestamp = types.UID(c.rand.UUID()), metav1.NewTime(c.now).Rfc3339Copy()
	meta.DeletionTimestamp, meta.DeletionGracePeriodSeconds = nil, nil
	generated := meta.Name == "" && meta.GenerateName != ""
	taken := func() bool {
		_, found := c.etcd.find(c.key(c.resource, c.namespace, meta.Name))
		return found
	}
	for try := 0; generated && try < maxSampleNames && (try == 0 || taken()); try++ {
		meta.Name = meta.GenerateName[:min(len(meta.GenerateName), 58)] + c.rand.Suffix(5)
	}
	if c.resource == flunders {
		if err := c.invalid(meta.Name, o.validate()); err != nil {
			return 0, "", err
		}
	}
	errs := objectmeta.Validate(meta, c.resource.namespaced, objectmeta.NameIsPathSegment, field.NewPath("metadata"))
	switch err := c.invalid(meta.Name, errs); {
	case err != nil:
		return 0, "", err
	case meta.ResourceVersion != "" && meta.ResourceVersion != "0":
		return 0, "", errors.New("resourceVersion should not be set on objects to be created")
	case taken() && generated:
		return 0, "", apierrors.NewGenerateNameConflict(c.groupResource(), meta.GenerateName, 1)
	case taken():
		return 0, "", apierrors.NewAlreadyExists(c.groupResource(), meta.Name)
	}
	if meta.ResourceVersion = ""; !c.dryRun() {
		c.store(o)
	}
	return c.say(201, o)
}

// banned is the admission plugin BanFlunder: a Fischer may name Flunders that nobody may create.
// Upstream: admission/plugin/banflunder/admission.go, DisallowFlunder.Admit.
func (c *sampleCall) banned(name string) error {
	if c.resource != flunders {
		return nil
	}
	for _, k := range c.etcd.under(c.key(fischers, "", "")) {
		if slices.Contains(load(fischers, k).disallowed, name) {
			return apierrors.NewForbidden(c.groupResource(), name, errors.New("this name may not be used, please change the resource name"))
		}
	}
	return nil
}

// replaced is the new object of a PUT.
func (c *sampleCall) replaced(*wardleObject) (*wardleObject, error) { return c.decode([]byte(c.Body)) }

// patched is the new object of a PATCH. Upstream: endpoints/handlers/patch.go.
func (c *sampleCall) patched(old *wardleObject) (*wardleObject, error) {
	how := types.PatchType(strings.Join(c.Header["Content-Type"], ""))
	takes := []types.PatchType{types.JSONPatchType, types.MergePatchType, types.StrategicMergePatchType}
	if !slices.Contains(takes, how) {
		return nil, apierrors.NewUnsupportedMediaType([]string{string(takes[0]), string(takes[1]), string(takes[2])})
	}
	before := c.resource.text(c.version, old)
	after, err := patching.Apply(how, []byte(c.Body), []byte(before), reflect.TypeOf(c.resource.in(c.version)))
	if err != nil {
		return nil, err
	}
	o, err := c.decode(after)
	if err != nil {
		return nil, apierrors.NewInvalid(api.GroupKind{}, "", field.ErrorList{field.Invalid(field.NewPath("patch"), string(after), err.Error())})
	}
	return o, nil
}

// update is upstream's generic/registry/store.go, Store.Update, and rest/update.go, BeforeUpdate.
func (c *sampleCall) update(next func(old *wardleObject) (*wardleObject, error)) (int, string, error) {
	old, err := c.get()
	if err != nil {
		return 0, "", err
	}
	o, err := next(old)
	if err != nil {
		return 0, "", err
	}
	meta, was := &o.meta, &old.meta
	conflict := func(why string) error {
		return apierrors.NewConflict(c.groupResource(), c.name, errors.New(why))
	}
	switch {
	case meta.Name != c.name:
		return 0, "", apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", meta.Name, c.name))
	case meta.ResourceVersion == "" || meta.ResourceVersion == "0":
		return 0, "", c.invalid(c.name, field.ErrorList{
			field.Invalid(field.NewPath("metadata", "resourceVersion"), int64(0), "must be specified for an update")})
	case meta.ResourceVersion != was.ResourceVersion:
		return 0, "", conflict("the object has been modified; please apply your changes to the latest version and try again")
	case meta.UID != "" && meta.UID != was.UID:
		return 0, "", conflict(fmt.Sprintf("Precondition failed: UID in precondition: %v, UID in object meta: %v", meta.UID, was.UID))
	}
	meta.UID, meta.CreationTimestamp = was.UID, was.CreationTimestamp
	meta.DeletionTimestamp, meta.DeletionGracePeriodSeconds = was.DeletionTimestamp, was.DeletionGracePeriodSeconds
	if err := c.invalid(c.name, objectmeta.ValidateUpdate(meta, was, field.NewPath("metadata"))); err != nil {
		return 0, "", err
	}
	switch same := c.resource.text(wardleAlpha, o) == c.resource.text(wardleAlpha, old); {
	case c.dryRun() || same:
	case meta.DeletionTimestamp != nil && len(meta.Finalizers) == 0:
		c.etcd.remove(c.key(c.resource, c.namespace, c.name))
	default:
		c.store(o)
	}
	return c.say(200, o)
}

// delete is upstream's generic/registry/store.go, Store.Delete.
func (c *sampleCall) delete() (int, string, error) {
	var options metav1.DeleteOptions
	if err := json.Unmarshal([]byte(c.Body), &options); c.Body != "" && err != nil {
		return 0, "", apierrors.NewBadRequest(err.Error())
	}
	o, err := c.get()
	if err != nil {
		return 0, "", err
	}
	if p := options.Preconditions; p != nil && p.UID != nil && *p.UID != o.meta.UID {
		return 0, "", apierrors.NewConflict(c.groupResource(), c.name,
			fmt.Errorf("Precondition failed: UID in precondition: %v, UID in object meta: %v", *p.UID, o.meta.UID))
	}
	if !c.dryRun() && !slices.Contains(options.DryRun, metav1.DryRunAll) && !c.drop(o) {
		return c.say(200, o)
	}
	code, body := deleted(c.groupResource(), c.name, string(o.meta.UID))
	return code, body, nil
}

// drop takes an object away, or marks it if there are finalizers; then it returns false.
func (c *sampleCall) drop(o *wardleObject) bool {
	if len(o.meta.Finalizers) == 0 {
		c.etcd.remove(c.key(c.resource, o.meta.Namespace, o.meta.Name))
		return true
	}
	if o.meta.DeletionTimestamp == nil {
		now := metav1.NewTime(c.now).Rfc3339Copy()
		o.meta.DeletionTimestamp, o.meta.DeletionGracePeriodSeconds = &now, new(int64)
		c.store(o)
	}
	return false
}
