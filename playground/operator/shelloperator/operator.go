package shelloperator

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/jq"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// Name is the program's component.
const Name = "shell-operator"

const (
	hooksDir = "/hooks"
	tempDir  = "/tmp/shell-operator"
	// waitQueues is how long a shutdown waits for the hooks that run.
	// Upstream: operator.go, WaitQueuesTimeout.
	waitQueues = 10 * time.Second
	// firstDelay is how long after its first failure a hook is run again, and longestDelay the longest.
	// Upstream: pkg/task/queue/task_queue.go, DefaultInitialDelayOnFailedTask; pkg/utils/exponential_backoff.
	firstDelay, longestDelay = 5 * time.Second, 32 * time.Second
)

// Container is the one in which the program runs.
type Container interface {
	// Executables are the files below a directory that can be run, in order.
	Executables(dir string) []string
	Write(path, text string)
	Remove(path string)
	// Log writes a line to the container's log.
	Log(line string)
	// Run runs a file with arguments and environment variables, and waits for its end; say hears each line that it writes.
	Run(p *sim.Proc, argv []string, env map[string]string, say func(stream, line string)) (status int32)
	// Wake has the container look whether the program has ended.
	Wake()
}

// Operator is the program.
// Upstream: pkg/shell-operator/operator.go, ShellOperator.
type Operator struct {
	component *sim.Component
	transport client.Transport
	container Container
	rand      *sim.Rand
	hooks     []*hook
	informers map[string]cache.SharedIndexInformer // by resource
	queues    map[string]*queue
	tasks     int // so far

	running  int // hooks
	stopping bool
	code     int32
	cause    trace.ID
}

// queue runs its tasks one after the other.
type queue struct {
	workqueue.TypedInterface[*task]
	waiting []*task // what it holds, in order
}

func (q *queue) add(t *task) {
	q.waiting = append(q.waiting, t)
	q.Add(t)
}

// get takes the next task, or waits for it.
func (q *queue) get(p *sim.Proc) *task {
	t, _ := q.Get(p)
	q.waiting = slices.DeleteFunc(q.waiting, func(w *task) bool { return w == t })
	return t
}

// task is one thing to do: to run a hook, or to have its events come.
// Upstream: pkg/task/task.go, and pkg/hook/task_metadata.
type task struct {
	id           int
	hook         *hook
	enable       bool   // EnableKubernetesBindings
	binding      string // its name
	what         string
	context      []bindingContext
	allowFailure bool
}

// String is what the queue shows: two events about one object are two tasks.
func (t *task) String() string { return fmt.Sprintf("%s %s #%d", t.hook.name, t.what, t.id) }

// bindingContext is what a hook is told.
// Upstream: pkg/hook/binding_context/binding_context.go.
type bindingContext struct {
	Binding    string    `json:"binding"`
	Type       string    `json:"type,omitempty"`
	WatchEvent string    `json:"watchEvent,omitempty"`
	Objects    *[]object `json:"objects,omitempty"`
	*object
}

// Start brings the program up in a container.
// Upstream: cmd/shell-operator/start.go.
func Start(k *sim.Kernel, t client.Transport, c Container) *Operator {
	o := &Operator{component: k.Start(Name), transport: t, container: c, rand: k.Rand(Name), informers: map[string]cache.SharedIndexInformer{},
		queues: map[string]*queue{}, code: 137}
	o.component.OnStop(func() {
		o.cause = k.Cause()
		c.Wake()
	})
	o.component.Run(func() { o.component.Go("main", o.main) })
	return o
}

// Component is the program in the trace.
func (o *Operator) Component() *sim.Component { return o.component }

// Ended tells whether it runs no more, and with what it has ended.
func (o *Operator) Ended() (code int32, cause trace.ID, ended bool) {
	return o.code, o.cause, !o.component.Running()
}

// Kill ends it at once.
func (o *Operator) Kill(reason string) { o.component.Stop(reason) }

// Terminate is SIGTERM: nothing more is begun, and the hook that runs has 10 seconds. It is not told.
// Upstream: operator.go, Shutdown.
func (o *Operator) Terminate() {
	if o.stopping {
		return
	}
	o.stopping = true
	o.component.Go("shutdown", func(p *sim.Proc) {
		for end := p.Now() + waitQueues; o.running > 0 && p.Now() < end; {
			p.Sleep(125 * time.Millisecond)
		}
		o.exit(p, 1)
	})
}

// exit ends the program.
func (o *Operator) exit(p *sim.Proc, code int32) {
	o.code = code
	o.component.Kernel().After(0, func() { o.component.Stop("exited") })
	p.Park()
}

// say writes to the trace, and to the container's log as JSON.
// Upstream: github.com/deckhouse/deckhouse/pkg/log.
func (o *Operator) say(p *sim.Proc, failure error, message string, kv ...any) {
	level := "info"
	if failure == nil {
		p.Logger().Info(message, kv...)
	} else {
		level = "error"
		p.Logger().Error(failure, message, kv...)
		kv = append(slices.Clip(kv), "error", failure.Error())
	}
	line := `{"level":"` + level + `","msg":` + jq.Text(message)
	for i := 0; i+1 < len(kv); i += 2 {
		line += "," + jq.Text(kv[i]) + ":" + jq.Text(kv[i+1])
	}
	o.container.Log(line + `,"time":"` + p.Time().Format(time.RFC3339) + `"}`)
}

func (o *Operator) main(p *sim.Proc) {
	if err := o.init(p); err != nil {
		o.say(p, err, "MAIN Fatal: initialize hook manager")
		o.exit(p, 1)
	}
	o.say(p, nil, "start shell-operator")
	o.bootstrapMainQueue(p)
	for _, name := range o.queueNames() {
		q := o.queue(name)
		o.component.Go("worker-"+name, func(p *sim.Proc) { o.work(p, name, q) })
	}
}

// init finds the hooks and asks each what it wants.
// Upstream: pkg/hook/hook_manager.go, Init.
func (o *Operator) init(p *sim.Proc) error {
	o.say(p, nil, "Initialize hooks manager. Search for and load all hooks.")
	for _, file := range o.container.Executables(hooksDir) {
		h := &hook{name: strings.TrimPrefix(file, hooksDir+"/"), path: file}
		o.say(p, nil, "Load config from '"+file+"'", "hook", h.name, "phase", "config")
		var stdout, stderr []string
		status := o.container.Run(p, []string{file, "--config"}, nil, func(stream, line string) {
			if stream == "stderr" {
				stderr = append(stderr, line)
			} else {
				stdout = append(stdout, line)
			}
		})
		if status != 0 {
			if len(stderr) > 0 {
				o.say(p, errors.New(strings.Join(stderr, "\n")), "Hook config stderr", "hook", h.name)
			}
			return fmt.Errorf("cannot get config for hook '%s': %s", file, exitStatus(status))
		}
		if err := h.load(strings.Join(stdout, "\n")+"\n", o.resolve); err != nil {
			return fmt.Errorf("creating hook '%s': load hook '%s' config: %w", h.name, h.name, err)
		}
		o.hooks = append(o.hooks, h)
		o.say(p, nil, "Loaded config: "+h.description(), "hook", h.name, "phase", "config")
	}
	return nil
}

// exitStatus is how a process ended. Upstream: os/exec, ExitError.
func exitStatus(status int32) string {
	if status == 137 {
		return "signal: killed"
	}
	return fmt.Sprintf("exit status %d", status)
}

// resolve finds a kind by any of its names.
func (o *Operator) resolve(apiVersion, kind string) *api.Kind {
	for _, k := range o.transport.Kinds() {
		if k.Resource == "" || apiVersion != "" && k.GroupVersion().String() != apiVersion {
			continue
		}
		if name := strings.ToLower(kind); name == strings.ToLower(k.Kind) || name == k.Resource || name == k.Singular || slices.Contains(k.ShortNames, name) {
			return k
		}
	}
	return nil
}

// queueNames are the queues that hooks ask for, main first.
func (o *Operator) queueNames() []string {
	names := []string{mainQueue}
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, h := range o.hooks {
		for _, s := range h.config.Schedule {
			add(s.Queue)
		}
		for _, b := range h.bindings {
			add(b.Queue)
		}
	}
	return names
}

func (o *Operator) queue(name string) *queue {
	if o.queues[name] == nil {
		o.queues[name] = &queue{TypedInterface: workqueue.NewTypedWithConfig[*task](o.component, workqueue.TypedQueueConfig{Name: name})}
	}
	return o.queues[name]
}

func (o *Operator) put(name string, t *task) {
	o.tasks++
	t.id = o.tasks
	o.queue(name).add(t)
}

// bootstrapMainQueue puts in what is done first: hooks with onStartup in their order, and then what lets events come.
// Upstream: operator.go, BootstrapMainQueue.
func (o *Operator) bootstrapMainQueue(p *sim.Proc) {
	first := slices.DeleteFunc(slices.Clone(o.hooks), func(h *hook) bool { return h.config.OnStartup == nil })
	slices.SortStableFunc(first, func(a, b *hook) int { return int(*a.config.OnStartup - *b.config.OnStartup) })
	for _, h := range first {
		o.say(p, nil, "queue task HookRun:"+mainQueue+":onStartup with hook "+h.name)
		o.put(mainQueue, &task{hook: h, binding: "onStartup", what: "onStartup", context: []bindingContext{{Binding: "onStartup"}}})
	}
	for _, h := range o.hooks {
		if len(h.bindings) > 0 {
			o.say(p, nil, "queue task EnableKubernetesBindings:"+mainQueue+" for hook "+h.name)
			o.put(mainQueue, &task{hook: h, enable: true, what: "EnableKubernetesBindings"})
		}
		for i := range h.config.Schedule {
			o.component.Go("schedule/"+h.name, func(p *sim.Proc) { o.schedule(p, h, &h.config.Schedule[i]) })
		}
	}
}

// schedule runs a hook by the clock.
func (o *Operator) schedule(p *sim.Proc, h *hook, s *scheduleConfig) {
	for {
		next := s.schedule.Next(p.Time())
		if next.IsZero() {
			return
		}
		p.Sleep(next.Sub(p.Time()))
		o.put(s.Queue, &task{hook: h, binding: s.Name, what: s.Name, allowFailure: s.AllowFailure,
			context: []bindingContext{{Binding: s.Name, Type: "Schedule"}}})
	}
}

// region worker

// work does the tasks of one queue. A task that fails stays, and all others wait behind it.
// Upstream: pkg/task/queue/task_queue.go, Start.
func (o *Operator) work(p *sim.Proc, name string, q *queue) {
	for {
		t := q.get(p)
		together := []*task{t}
		for failures := 0; !o.handle(p, name, q, &together, failures); failures++ {
			p.Sleep(o.delay(failures))
		}
		for _, done := range together {
			q.Done(done)
		}
	}
}

// endregion

// delay is how long a task waits that has failed so often before.
// Upstream: pkg/utils/exponential_backoff/delay.go, CalculateDelay.
func (o *Operator) delay(failures int) time.Duration {
	if failures == 0 {
		return firstDelay
	}
	d := longestDelay
	if failures <= 5 {
		d = firstDelay + time.Second<<(failures-1)
	}
	d += time.Duration(o.rand.IntN(1000)) * time.Millisecond
	return min(d.Truncate(100*time.Millisecond), longestDelay)
}

// handle does one task, with those that go along with it. It tells false if the task has to be done again.
// Upstream: operator.go, TaskHandler.
func (o *Operator) handle(p *sim.Proc, name string, q *queue, together *[]*task, failures int) (done bool) {
	if o.stopping { // the queue is stopped
		p.Park()
	}
	t := (*together)[0]
	if t.enable {
		return o.enable(p, t.hook, failures)
	}
	// Events for the same hook that wait right behind this one are told along with it.
	// Upstream: combine_binding_context.go, CombineBindingContextForHook.
	var context []bindingContext
	dropped := 0
	for len(q.waiting) > 0 && q.waiting[0].hook == t.hook && !q.waiting[0].enable && q.waiting[0].what != "onStartup" {
		*together = append(*together, q.get(p))
		dropped++
	}
	for _, one := range *together {
		context = append(context, one.context...)
	}
	if dropped > 0 {
		o.say(p, nil, fmt.Sprintf("Binding contexts from %d tasks are combined to %d contexts. %d tasks are dropped from queue '%s'", dropped+1, len(context), dropped, name))
	}
	return o.run(p, name, t, context, failures)
}

// enable lists what the bindings of a hook select, runs the hook with it, and lets events come.
// Upstream: operator.go, TaskHandleEnableKubernetesBindings.
func (o *Operator) enable(p *sim.Proc, h *hook, failures int) bool {
	kv := []any{"hook", h.name, "queue", mainQueue, "task", "EnableKubernetesBindings"}
	o.say(p, nil, "Enable kubernetes binding for hook", kv...)
	found := make([][]object, len(h.bindings))
	for i, b := range h.bindings {
		err := b.existing(p, o.listWatch(b))
		if err == nil {
			found[i], err = o.watch(p, b)
		}
		if err != nil {
			o.say(p, err, "Enable Kubernetes binding for hook failed. Will retry after delay.", append(kv, "failedCount", failures+1)...)
			return false
		}
	}
	o.say(p, nil, fmt.Sprintf("Kubernetes bindings for hook are enabled successfully, %d tasks generated", len(h.bindings)), kv...)
	for i, b := range h.bindings {
		t := &task{hook: h, binding: b.Name, what: "Synchronization", allowFailure: b.AllowFailure}
		context := []bindingContext{{Binding: b.Name, Type: "Synchronization", Objects: &found[i]}}
		skip := b.ExecuteHookOnSynchronization != nil && !*b.ExecuteHookOnSynchronization
		for failures := 0; !skip && !o.run(p, mainQueue, t, context, failures); failures++ {
			p.Sleep(o.delay(failures))
			if o.stopping {
				p.Park()
			}
		}
		o.say(p, nil, "Unlock kubernetes.Event tasks", "hook", h.name, "binding", b.Name)
		b.unlocked = true
		for _, held := range b.held {
			o.put(b.Queue, held)
		}
		b.held = nil
	}
	return true
}

// listWatch reads what the bindings to a resource select: what one of them does, if they all select the same.
func (o *Operator) listWatch(b *binding) *cache.ListWatch {
	same := true
	namespace := func(b *binding) string {
		if len(b.namespaces) == 1 {
			return b.namespaces[0]
		}
		return ""
	}
	for _, h := range o.hooks {
		for _, other := range h.bindings {
			same = same && (other.kind != b.kind || namespace(other) == namespace(b) && other.selector.String() == b.selector.String())
		}
	}
	if !same {
		return cache.NewListWatch(o.transport, b.kind.GroupVersionResource(), "", nil)
	}
	return cache.NewListWatch(o.transport, b.kind.GroupVersionResource(), namespace(b), func(options *metav1.ListOptions) {
		options.LabelSelector = b.selector.String()
	})
}

// watch starts the informer of a binding's resource, unless it runs, and returns what its cache has.
func (o *Operator) watch(p *sim.Proc, b *binding) ([]object, error) {
	resource := api.StorageName(b.kind.GroupVersionResource())
	informer := o.informers[resource]
	if informer == nil {
		informer = cache.NewSharedIndexInformer(o.listWatch(b), b.kind.New(), 0, cache.Indexers{})
		o.informers[resource] = informer
		_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(obj any) { o.event(b.kind, obj, false) },
			UpdateFunc: func(_, obj any) { o.event(b.kind, obj, false) },
			DeleteFunc: func(obj any) {
				if last, ok := obj.(cache.DeletedFinalStateUnknown); ok {
					obj = last.Obj
				}
				o.event(b.kind, obj, true)
			},
		})
		o.component.Go("informer/"+resource, informer.Run)
	}
	cache.WaitForCacheSync(p, informer.HasSynced)
	clear(b.known)
	out := []object{}
	for _, obj := range informer.GetStore().List() {
		event, dumped, err := b.note(obj.(api.Object), false)
		if err != nil {
			return nil, err
		}
		if event != "" {
			out = append(out, dumped)
		}
	}
	b.enabled = true
	return out, nil
}

// event tells all bindings to a kind of a change.
// Upstream: operator.go, the handler of WithKubeEventHandler.
func (o *Operator) event(kind *api.Kind, obj any, gone bool) {
	about, ok := obj.(api.Object)
	if !ok || o.stopping {
		return
	}
	for _, h := range o.hooks {
		for _, b := range h.bindings {
			if b.kind != kind || !b.enabled {
				continue
			}
			event, dumped, err := b.note(about, gone)
			if err != nil {
				o.component.Kernel().Logger().Error(err, "jqFilter failed", "hook", h.name, "binding", b.Name)
				continue
			}
			if event == "" || !slices.Contains(b.events, event) {
				continue
			}
			t := &task{hook: h, binding: b.Name, allowFailure: b.AllowFailure,
				what:    event + " " + path.Join(about.GetNamespace(), about.GetName()),
				context: []bindingContext{{Binding: b.Name, Type: "Event", WatchEvent: event, object: &dumped}}}
			if b.unlocked {
				o.put(b.Queue, t)
			} else {
				b.held = append(b.held, t)
			}
		}
	}
}

// region run

// run runs a hook and waits for its end, however long that takes. It tells false if the hook has failed and may not.
// Upstream: operator.go, TaskHandleHookRun; pkg/hook/hook.go, Run.
func (o *Operator) run(p *sim.Proc, queue string, t *task, context []bindingContext, failures int) bool {
	kv := []any{"hook", t.hook.name, "binding", t.binding, "queue", queue, "event", t.what}
	o.say(p, nil, "Execute hook", kv...)
	file := tempDir + "/hook-" + strings.ReplaceAll(strings.ReplaceAll(t.hook.name, ".", "-"), "/", "-") + "-binding-context-" + o.rand.UUID() + ".json"
	o.container.Write(file, jq.Text(context))
	var stderr []string
	o.running++
	status := o.container.Run(p, []string{t.hook.path}, map[string]string{"BINDING_CONTEXT_PATH": file}, func(stream, line string) {
		if stream == "stderr" {
			stderr = append(stderr, line)
		}
		if strings.TrimSpace(line) != "" {
			o.say(p, nil, strings.TrimSpace(line), "hook", t.hook.name, "output", stream)
		}
	})
	o.running--
	o.container.Remove(file)
	if status == 0 {
		o.say(p, nil, "Hook executed successfully", kv...)
		return true
	}
	why := strings.Join(stderr, "\n")
	if why == "" {
		why = exitStatus(status)
	}
	err := errors.New(t.hook.name + " FAILED: " + why)
	if t.allowFailure {
		o.say(p, nil, "Hook failed, but allowed to fail: "+err.Error(), kv...)
		return true
	}
	o.say(p, err, "Hook failed. Will retry after delay.", append(kv, "failedCount", failures+1)...)
	return false
}

// endregion
