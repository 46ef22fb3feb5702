// Package client is how programs speak to the API server.
//
// Transport carries one request. On it stand the typed Clientset, and on that
// the packages beside this one: cache (reflector, informer, indexer), informers
// (factory and listers) and record (events). Names and behaviour are those of
// k8s.io/client-go; a *sim.Proc stands where upstream has a context.Context,
// because it says who calls, and when.
package client

import (
	"fmt"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/authenticationv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/strategicpatch"
	"kubewalk/playground/api/types"
	"kubewalk/playground/sim"
)

// Transport is the wire to the API server. playground/controlplane/transport implements it.
// Errors are *apierrors.StatusError when the server answered, and others
// (connection refused) when it did not.
type Transport interface {
	// Do sends a request other than watch and waits, in virtual time, for the
	// answer: an api.Object, an api.List, a *metav1.Status. It must not be
	// changed: it may be the very one that the store holds.
	Do(p *sim.Proc, r *Request) (Result, error)
	// Watch opens a watch. What happens from the request's resource version on
	// is delivered in order, without gaps, until the stream ends.
	Watch(p *sim.Proc, r *Request) (Stream, error)
	// Kinds are what the server serves now, as discovery would say. Simplified: it takes no request and no time.
	Kinds() api.KindSet
}

// Result is what the API server answers: an api.Object, an api.List or a
// *metav1.Status, which have nothing in common but their kind.
// Upstream: k8s.io/apimachinery/pkg/runtime Object.
type Result interface{ GetObjectKind() *metav1.TypeMeta }

// Verbs of Request, as authorisation and audit name them.
const (
	Get    = "get"
	List   = "list"
	Watch  = "watch"
	Create = "create"
	Update = "update"
	Patch  = "patch"
	Delete = "delete"
	// DeleteCollection deletes what the selectors match.
	DeleteCollection = "deletecollection"
)

// Request is one call of the API.
type Request struct {
	Verb        string
	Resource    api.GroupVersionResource
	Subresource string // "", "status", "scale", "binding", "eviction", "log" …
	Namespace   string // "" for cluster-scoped resources, and to list across all
	Name        string // "" for create, list and watch

	// Object is the body of create and update. The sender must not change it
	// afterwards.
	Object api.Object
	// Body is the body as JSON text, for requests that come from outside (a
	// manifest, kubectl) and have to be decoded strictly. Either Object or Body.
	Body []byte

	PatchType types.PatchType
	Patch     []byte // see PatchText
	// Status is a patch of a status that no JSON has been made of. Either Patch or Status.
	Status *strategicpatch.Status
	// Force makes a server-side apply (PatchType types.ApplyPatchType) take
	// over the fields that others manage.
	Force bool

	List         metav1.ListOptions   // list and watch: selectors, resource version, bookmarks
	Delete       metav1.DeleteOptions // delete: grace, preconditions, propagation
	DryRun       bool
	FieldManager string // "" is the caller's component
	// Table asks get, list and watch for a *metav1.Table: the server decides what a
	// person sees of a kind. Upstream: Accept: application/json;as=Table.
	Table bool
	// FieldValidation is what becomes of fields that nobody knows: "Strict"
	// (refused; the default), "Warn" or "Ignore" (left out).
	FieldValidation string
	// Shared asks list for a *metav1.ObjectList: the very objects that the server
	// has, for who keeps them and changes none.
	Shared bool
	// ManagedFields asks for metadata.managedFields in the answer. They are
	// worked out only for whoever asks.
	ManagedFields bool
	// Log, for pods/log: which lines, of which container.
	Log *corev1.PodLogOptions
	// Exec, for pods/exec: what to run, in which container.
	Exec *ExecOptions
	// Streams asks for the connection itself, of pods/attach, pods/portforward and a log that is followed: Text.Output or Text.Forward.
	// Without it the answer only tells whether the connection may be made, and a log is what has been printed so far.
	Streams bool
	// Credentials are the program's whose name and certificate the caller uses; "" is his component.
	Credentials string
	// Impersonate is whom the caller acts as; nil is himself. Upstream: rest.Config Impersonate.
	Impersonate *authenticationv1.UserInfo
	// Timeout is after how long the client gives the request up; 0 is never.
	// Upstream: rest.Config Timeout. For a watch it counts until it is open.
	Timeout time.Duration
	// Warn, if not nil, is given each warning of the answer before Do returns.
	// Upstream: client-go rest/warnings.go, WarningHandler.
	Warn func(text string)
	// Answered, if not nil, is given the answer's HTTP status before Do returns.
	Answered func(code int32)
	// RawQuery is the query of a request that came as HTTP, for a server behind this one that reads parameters of its own. See Query.
	RawQuery string
}

// PatchText is the patch as JSON.
func (r *Request) PatchText() []byte {
	if r.Status != nil {
		return r.Status.Text()
	}
	return r.Patch
}

// ExecOptions is what to run in a container. Upstream: k8s.io/api/core/v1, PodExecOptions.
type ExecOptions struct {
	Container string
	Command   []string
	// What is connected. Without Stdout and Stderr the answer has all the same what the command printed.
	Stdin, Stdout, Stderr, TTY bool
	// Shown tells that who types sees it already: a terminal does not echo it.
	Shown bool
	// Input is what the command reads from its standard input.
	Input string
}

// Text is an answer that is no object: lines of a log, or what a command
// printed, and how it ended.
type Text struct {
	metav1.TypeMeta
	Body string
	// Stderr is what a command printed on standard error.
	Stderr string
	// ExitCode is that of a command that ran; 0 for logs.
	ExitCode int32
	// Output is what a container goes on to print, Type gives a command in it a line to read (or the key "\x03" or "\x04"), and Forward leads to the
	// ports of a Pod: see Request.Streams.
	Output  Output
	Type    func(line string)
	Forward Forward
}

// Output is the receiving end of what a container prints.
type Output interface {
	// Next waits for more text: one line, or several. The error is io.EOF when the container has ended, and a CodeExitError when a command has ended
	// with another code than 0.
	Next(p *sim.Proc) (text string, err error)
	// Stderr tells whether what Next returned last was printed to standard error.
	Stderr() bool
	// Stop closes the connection from this side.
	Stop()
}

// CodeExitError is how a command in a container ended. Upstream: client-go util/exec/exec.go, CodeExitError.
type CodeExitError int32

func (e CodeExitError) Error() string {
	return fmt.Sprintf("command terminated with exit code %d", int32(e))
}

// Forward sends an HTTP request to a port of a Pod, over the connection of a port-forward, and waits for the answer.
type Forward func(p *sim.Proc, port int, method, path string) (status int, body string, err error)

// Stream is the receiving end of a watch.
type Stream interface {
	// Next waits for the next event. ok is false when the stream has ended: the
	// connection broke, the server closed it, or Stop was called. The process
	// becomes due to the event's arrival.
	Next(p *sim.Proc) (event Event, ok bool)
	// Stop ends the watch from this side.
	Stop()
}

// EventType tells what a watch event says of its object.
type EventType string

// Upstream: k8s.io/apimachinery/pkg/watch.
const (
	Added    EventType = "ADDED"
	Modified EventType = "MODIFIED"
	Deleted  EventType = "DELETED"
	Bookmark EventType = "BOOKMARK"
	Error    EventType = "ERROR"
)

// Event is one message of a watch.
type Event struct {
	Type EventType
	// Object is what changed. A bookmark's holds only a resource version, and
	// with Error there is none.
	Object api.Object
	// Table has the object as its only row, if the watch asked for tables.
	Table *metav1.Table
	// Status says what went wrong, with Error. Otherwise it is nil.
	Status *metav1.Status
}
