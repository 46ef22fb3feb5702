package snapshotv1

import (
	"encoding/json"
	"strconv"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/record"
	"kubewalk/playground/sim"
)

// The resources.
var (
	Snapshots = GroupVersion.WithResource("volumesnapshots")
	Contents  = GroupVersion.WithResource("volumesnapshotcontents")
	Classes   = GroupVersion.WithResource("volumesnapshotclasses")
)

// describe is an object's kind, and where it is served.
func describe(obj api.Object) (string, api.GroupVersionResource) {
	switch obj.(type) {
	case *VolumeSnapshot:
		return "VolumeSnapshot", Snapshots
	case *VolumeSnapshotContent:
		return "VolumeSnapshotContent", Contents
	}
	return "VolumeSnapshotClass", Classes
}

// Client reads and writes the kinds. The server answers with JSON, of which they are the Go types.
type Client struct{ Transport client.Transport }

func (c Client) do(p *sim.Proc, obj api.Object, r *client.Request) error {
	_, r.Resource = describe(obj)
	answer, err := client.As[api.Object](c.Transport.Do(p, r))
	if err != nil {
		return err
	}
	return read(answer, obj)
}

// read makes into of what the server or a cache has.
func read(from any, into api.Object) error {
	text, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// Get reads an object into another, which has to be empty.
func (c Client) Get(p *sim.Proc, namespace, name string, into api.Object) error {
	return c.do(p, into, &client.Request{Verb: client.Get, Namespace: namespace, Name: name})
}

// Create makes an object, and reads the answer into it.
func (c Client) Create(p *sim.Proc, obj api.Object) error {
	return c.write(p, obj, &client.Request{Verb: client.Create, Namespace: obj.GetNamespace()})
}

// Update replaces an object, or its status, and reads the answer into it.
func (c Client) Update(p *sim.Proc, obj api.Object, subresource string) error {
	return c.write(p, obj, &client.Request{Verb: client.Update, Namespace: obj.GetNamespace(), Name: obj.GetName(), Subresource: subresource})
}

func (c Client) write(p *sim.Proc, obj api.Object, r *client.Request) (err error) {
	kind, _ := describe(obj)
	obj.GetObjectKind().SetGroupVersionKind(GroupVersion.WithKind(kind))
	if r.Body, err = json.Marshal(obj); err != nil {
		return err
	}
	return c.do(p, obj, r)
}

// Operation is one of a JSON patch. Upstream: pkg/utils/patch.go, PatchOp.
type Operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// Patch changes an object, or its status. The answer is read into into, which has to be empty.
func (c Client) Patch(p *sim.Proc, obj, into api.Object, subresource string, operations ...Operation) error {
	text, err := json.Marshal(operations)
	if err != nil {
		return err
	}
	return c.do(p, into, &client.Request{Verb: client.Patch, Namespace: obj.GetNamespace(), Name: obj.GetName(), Subresource: subresource,
		PatchType: types.JSONPatchType, Patch: text})
}

// Delete asks for an object's end.
func (c Client) Delete(p *sim.Proc, obj api.Object) error {
	_, resource := describe(obj)
	_, err := c.Transport.Do(p, &client.Request{Verb: client.Delete, Resource: resource, Namespace: obj.GetNamespace(), Name: obj.GetName()})
	return err
}

// Reference names an object, for Events and contents.
func Reference(obj api.Object) *corev1.ObjectReference {
	kind, _ := describe(obj)
	return record.Reference(GroupVersion.WithKind(kind), obj)
}

// Event records one about an object.
func Event(to record.EventRecorder, about api.Object, eventtype, reason, message string) {
	to.Event(record.Ref(Reference(about)), eventtype, reason, message)
}

// Cache has all objects of a resource, and the newest that its program has written or handled: an informer may lag behind the program's own
// writes. Upstream: snapshotStore, contentStore; pkg/utils/util.go, StoreObjectUpdate.
type Cache struct {
	Resource api.GroupVersionResource
	Informer cache.SharedIndexInformer
	newest   map[string]api.Object
}

// resyncPeriod is how often all objects are looked at again: one may be left half done, because a cache did not show yet what it needed.
// Upstream: --resync-period.
const resyncPeriod = 15 * time.Minute

// NewCache makes one that is filled when its informer runs.
func NewCache(t client.Transport, resource api.GroupVersionResource) *Cache {
	informer := cache.NewSharedIndexInformer(cache.NewListWatch(t, resource, "", nil), &api.Unstructured{}, resyncPeriod, cache.Indexers{})
	return &Cache{resource, informer, map[string]api.Object{}}
}

// Listed reads what the informer has of a key into into. It tells whether there is anything.
func (c *Cache) Listed(key string, into api.Object) bool {
	found, exists, err := c.Informer.GetIndexer().GetByKey(key)
	return err == nil && exists && read(found, into) == nil
}

// Keys are those of all that the informer has, in order.
func (c *Cache) Keys() []string { return c.Informer.GetIndexer().ListKeys() }

// Fill stores all that the informer has, before anybody works on single ones: what is not stored is taken for gone.
// Upstream: initializeCaches.
func (c *Cache) Fill(empty func() api.Object) {
	for _, key := range c.Keys() {
		if obj := empty(); c.Listed(key, obj) {
			c.Store(obj)
		}
	}
}

// Store keeps an object, unless it is older than the one that is kept: then it returns false.
func (c *Cache) Store(obj api.Object) bool {
	key := Key(obj)
	if before := c.newest[key]; before != nil && version(before) > version(obj) {
		return false
	}
	c.newest[key] = obj
	return true
}

func version(obj api.Object) int64 {
	n, _ := strconv.ParseInt(obj.GetResourceVersion(), 10, 64) // 0 for what was never stored
	return n
}

// Stored is what was kept of a key; nil for nothing.
func (c *Cache) Stored(key string) api.Object { return c.newest[key] }

// Forget drops what was kept.
func (c *Cache) Forget(key string) { delete(c.newest, key) }

// Key is an object's in queues and caches.
func Key(obj api.Object) string {
	if obj.GetNamespace() == "" {
		return obj.GetName()
	}
	return obj.GetNamespace() + "/" + obj.GetName()
}
