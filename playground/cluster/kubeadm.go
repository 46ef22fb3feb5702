//go:build !js || cel

package cluster

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/bootstraptoken"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/yaml"
	"kubewalk/playground/controlplane/apiserver/authorization"
	"kubewalk/playground/controlplane/apiserver/defaults"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/controller/certificates"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/node/kubelet"
	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/operator/kubeadm"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// installation is what kubeadm has to do with a cluster: its control plane runs in static Pods, as long as their containers do.
type installation struct {
	static map[string]*part         // programs of the control plane, which no input starts
	agents map[string]time.Duration // when kubeadm has started a machine's kubelet
	typed  kubeadm.JoinCommand      // what `kubeadm init` has printed, as somebody types it elsewhere
	// endpoint is where others find the API server, if that is not its machine.
	endpoint string
}

func (c Config) validateKubeadm() error {
	switch {
	case !c.Kubeadm:
		return nil
	case c.Authorization != RBAC || !c.LeaderElect || !c.AllKinds:
		return errors.New("kubeadm needs authorization: rbac, leaderElect and allKinds, as it sets them")
	case len(c.Nodes) == 0 || c.HollowNodes != nil || c.Network || c.Cloud || c.Metrics:
		return errors.New("kubeadm is for nodes, without hollowNodes, network, cloud and metrics")
	case c.Schedulers > 1 || c.ControllerManagers > 1:
		return errors.New("kubeadm makes one control plane")
	}
	return nil
}

// kubeadms are the programs that somebody may run on the machines.
func (c Config) kubeadms() (names []string) {
	if c.Kubeadm {
		for _, n := range c.Nodes {
			names = append(names, kubeadm.Name+"/"+n.Name)
		}
	}
	return names
}

// kubeadmUser is who has no credentials, or a token; nil for whoever has some. A token is worth what its Secret says.
// Upstream: plugin/pkg/auth/authenticator/token/bootstrap/bootstrap.go.
func (c *Cluster) kubeadmUser(component string) *authorization.User {
	anonymous := &authorization.User{Username: "system:anonymous", Groups: []string{"system:unauthenticated"}}
	token, has := strings.CutPrefix(component, kubeadm.BootstrapFor)
	if !has {
		if component == kubeadm.Anonymous {
			return anonymous
		}
		return nil
	}
	id, value, _ := bootstraptoken.Split(token)
	secret, is := c.store.Current(store.Key{Resource: "secrets", Namespace: "kube-system", Name: bootstraptoken.SecretPrefix + id}).(*corev1.Secret)
	if !is || secret.Type != bootstraptoken.SecretType || string(secret.Data[bootstraptoken.TokenSecretKey]) != value ||
		string(secret.Data[bootstraptoken.AuthUsage]) != "true" || bootstraptoken.Expired(secret.Data, c.kernel.Time()) {
		return anonymous
	}
	groups := []string{bootstraptoken.DefaultGroup}
	if extra := string(secret.Data[bootstraptoken.ExtraGroupsKey]); extra != "" {
		groups = append(groups, strings.Split(extra, ",")...)
	}
	return authorization.NewUser(bootstraptoken.UserPrefix+id, groups...)
}

// kubeadmSigner signs where nobody has X.509.
func (c Config) kubeadmSigner() certificates.X509 {
	if c.Kubeadm && c.X509 == nil {
		return kubeadm.Signer{}
	}
	return c.X509
}

// inPods tells whether a program starts with its container and not with the cluster, and makes it a part that only stops.
func (c *Cluster) inPods(p *part) bool {
	if !c.config.Kubeadm || !slices.Contains(strings.Fields(staticPods), p.name) {
		return false
	}
	if c.install.static == nil {
		c.install.static = map[string]*part{}
	}
	c.install.static[p.name] = p
	c.byName[p.name] = &part{name: p.name, stop: p.stop, running: p.running,
		start: func() error { return errStartedStatic }}
	return true
}

// kubeadm puts the machines as they are before anybody has typed anything. The API server's address is there; nobody listens.
func (c *Cluster) kubeadm() {
	if !c.config.Kubeadm {
		return
	}
	etcd, server := c.install.static[Etcd], c.install.static[APIServer]
	for _, p := range []*part{etcd, server} { // the server waits for etcd, so it stores nothing
		must(p.start())
		c.kernel.Because(trace.ID(c.kernel.Trace().Len()), func() { p.stop("not installed") })
	}
	for i, n := range c.config.Nodes {
		m := &kubeadmMachine{cluster: c, box: c.boxes[i], rand: c.kernel.Rand("kubeadm/" + n.Name)}
		name := kubeadm.Name + "/" + n.Name
		c.byName[name] = program(name, func() *sim.Component {
			if i == 0 {
				return kubeadm.Init(c.kernel, m, func(join kubeadm.JoinCommand) { c.install.typed = join })
			}
			return kubeadm.Join(c.kernel, m, c.install.typed)
		})
	}
}

// kubeadmKubelet changes how a node's kubelet starts: with what kubeadm has written on its machine.
func (c *Cluster) kubeadmKubelet(m *box, o *kubelet.Options) {
	if !c.config.Kubeadm {
		return
	}
	machine := &kubeadmMachine{cluster: c, box: m, rand: c.kernel.Rand("kubeadm-kubelet/" + m.name)}
	o.StaticPodPath, o.DecodePod = kubeadm.Manifests, decodePod
	o.Bootstrap = func(p *sim.Proc) { kubeadm.Bootstrap(p, machine) }
	o.NetworkReady = func() error {
		if names, _ := m.runtime.Disk().Volume("host/etc/cni/net.d").List(""); len(names) > 0 {
			return nil
		}
		return errors.New("NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized")
	}
}

// decodePod reads a manifest with the defaults of the API server, as the kubelet does. Upstream: pkg/kubelet/config/common.go.
func decodePod(manifest string) (*corev1.Pod, error) {
	text, err := yaml.ToJSON(manifest)
	if err != nil {
		return nil, err
	}
	obj, err := api.DecodeStrict(text, nil)
	if err != nil {
		return nil, err
	}
	pod, is := obj.(*corev1.Pod)
	if !is {
		return nil, fmt.Errorf("invalid pod: %s", obj.GetObjectKind().GroupVersionKind().Kind)
	}
	defaults.Set(pod)
	return pod, nil
}

// hostStatic has the containers of a node run the programs of the control plane.
func (c *Cluster) hostStatic(runtime *cri.Runtime) bool {
	if !c.config.Kubeadm {
		return false
	}
	runtime.SetGuests(func(name string, in *cri.Inside) cri.Guest {
		g := &staticGuest{cluster: c, part: c.install.static[name], inside: in}
		why := kubeadm.Check(in.Command(), in.Exists)
		if why == "" && g.part.running() {
			why = "Error: listen tcp: bind: address already in use"
		}
		if why != "" {
			in.Log(why)
			g.end(1)
			return g
		}
		g.part.ended = func() { g.end(137) }
		must(g.part.start())
		return g
	})
	return true
}

// staticGuest is a program of the control plane in its container: it implements cri.Guest.
type staticGuest struct {
	cluster *Cluster
	part    *part
	inside  *cri.Inside
	ended   bool
	code    int32
	cause   trace.ID
}

func (g *staticGuest) end(code int32) {
	if g.ended {
		return
	}
	g.ended, g.code, g.cause = true, code, g.cluster.kernel.Cause()
	g.inside.Wake()
}

func (g *staticGuest) stop(reason string, code int32) {
	if !g.ended {
		g.ended, g.code = true, code
		g.part.stop(reason)
		g.cause = g.cluster.kernel.Cause()
		g.inside.Wake()
	}
}

func (g *staticGuest) Terminate()         { g.stop("SIGTERM", 0) }
func (g *staticGuest) Kill(reason string) { g.stop(reason, 137) }

func (g *staticGuest) Ended() (int32, trace.ID, bool) { return g.code, g.cause, g.ended }

// Serve answers probes.
func (g *staticGuest) Serve(_ cri.Request, done func(status int, body string)) {
	status := 0
	if !g.ended {
		status = g.cluster.health(g.part.name)
	}
	done(status, "")
}

// health is what a program answers, at its own port, who asks whether it is alive.
func (c *Cluster) health(program string) int {
	switch {
	case !c.install.static[program].running(), program == APIServer && !c.server.Running():
		return 0
	case program == APIServer && !c.store.Running():
		return 500
	}
	return 200
}

// kubeadmMachine is a machine as kubeadm sees it: it implements kubeadm.Machine.
type kubeadmMachine struct {
	cluster *Cluster
	box     *box
	rand    *sim.Rand
}

func (m *kubeadmMachine) Node() string      { return m.box.name }
func (m *kubeadmMachine) Address() string   { return m.box.ip }
func (m *kubeadmMachine) Endpoint() string  { return m.cluster.install.endpoint }
func (m *kubeadmMachine) Chance() *sim.Rand { return m.rand }

// file finds a file on the machine's disk: in its directory, or, what Pods mount one by one, as a volume of its own.
func (m *kubeadmMachine) file(path string) (*cri.Volume, string) {
	disk := m.box.runtime.Disk()
	if strings.HasSuffix(path, ".conf") {
		return disk.Volume("host" + path), ""
	}
	if rest, in := strings.CutPrefix(path, "/etc/kubernetes/pki/"); in && !strings.HasPrefix(rest, "etcd/") {
		return disk.Volume("host/etc/kubernetes/pki"), rest
	}
	slash := strings.LastIndexByte(path, '/')
	return disk.Volume("host" + path[:slash]), path[slash+1:]
}

func (m *kubeadmMachine) Read(path string) (string, bool) {
	v, name := m.file(path)
	return v.Read(name)
}

func (m *kubeadmMachine) Write(path, text string) {
	v, name := m.file(path)
	v.Write(name, text)
	if rest, in := strings.CutPrefix(path, "/etc/kubernetes/pki/etcd/"); in { // a directory in a directory that is mounted, too
		m.box.runtime.Disk().Volume("host/etc/kubernetes/pki").Write("etcd/"+rest, text)
	}
}

func (m *kubeadmMachine) Remove(path string) {
	v, name := m.file(path)
	v.Remove(name)
}

func (m *kubeadmMachine) Pull(p *sim.Proc, image string) error {
	_, _, err := m.box.runtime.PullImage(p, image)
	return err
}

func (m *kubeadmMachine) StartKubelet() error {
	k := m.cluster.byName[kubeletName(m.box.name)]
	if k.running() {
		k.stop("restarted by kubeadm")
	}
	if m.cluster.install.agents == nil {
		m.cluster.install.agents = map[string]time.Duration{}
	}
	m.cluster.install.agents[m.box.name] = m.cluster.kernel.Elapsed()
	return k.start()
}

// kubeletListens is how long after its start a kubelet answers on its port.
const kubeletListens = 400 * time.Millisecond

func (m *kubeadmMachine) KubeletHealthy() bool {
	_, configured := m.Read(kubeadm.KubeletConf)
	return configured && m.cluster.kernel.Elapsed()-m.cluster.install.agents[m.box.name] >= kubeletListens && m.cluster.byName[kubeletName(m.box.name)].running()
}

func (m *kubeadmMachine) Answers(program string) bool { return m.cluster.health(program) == 200 }

func (m *kubeadmMachine) As(user string) client.Transport {
	if user == "" {
		return m.cluster.Transport() // kubeadm's own name is the administrator's
	}
	return client.WithCredentials(m.cluster.Transport(), user)
}
