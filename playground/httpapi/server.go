package httpapi

import (
	"context"
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"fmt"
	"log"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/goccy/go-yaml"
	"golang.org/x/net/netutil"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/protobuf"
	"kubewalk/playground/cluster"
	"kubewalk/playground/endpoints"
)

// Options is what a server is made of.
type Options struct {
	Config cluster.Config
	Seed   uint64
	// Cluster is a cluster of that configuration that has run already; nil has Start make one. The server closes it.
	Cluster *cluster.Cluster
	// Record, if it is not nil, is told of each thing that clients do to the cluster, in their order: the nth input from 0, as it begins,
	// and again when it is done. With those inputs, the seed and the configuration the run can be repeated. It must be quick:
	// the cluster waits for it.
	Record func(n int, o cluster.Outcome)
	// Speed is how many seconds pass in the cluster in one of real time; 0 is 1.
	Speed float64
	// Listen is the address: "127.0.0.1:6443". Only a loopback address keeps others on the network out.
	Listen string
	// Log is given what goes wrong with connections; nil drops it.
	Log *log.Logger
}

// The speeds that a cluster can have.
const (
	MinSpeed = 0.01
	MaxSpeed = 1000
)

// Server is a cluster on a port.
type Server struct {
	loop        *loop
	endpoints   *endpoints.Server // the loop's
	credentials *credentials
	tokens      *tokenKey // nil where they are signed with a hash
	listener    net.Listener
	http        *http.Server
	hosts       []string // the names in URLs that are this server; see misdirected

	protobuf *protobuf.Codec

	inflight chan struct{} // of requests that are no watches: as many as may be at once
	watches  atomic.Int64
	backlogs *backlogs
	metrics  metrics
	closing  context.Context // done when the server shuts down
	close    context.CancelFunc
}

// Limits of what clients may ask for.
const (
	// maxInflight is upstream's --max-requests-inflight plus --max-mutating-requests-inflight.
	maxInflight = 600
	// maxWatches bounds what is kept for clients that only listen.
	maxWatches = 10000
	// maxConnections bounds open files.
	maxConnections = 4000
	// maxBody is upstream's limit: apiserver/pkg/server/config.go, MaxRequestBodyBytes.
	maxBody = 3 << 20
)

// Start makes a cluster, listens, and serves until Close.
func Start(o Options) (*Server, error) {
	if o.Speed == 0 {
		o.Speed = 1
	}
	if o.Speed < MinSpeed || o.Speed > MaxSpeed {
		return nil, fmt.Errorf("speed %v is not between %v and %v", o.Speed, MinSpeed, MaxSpeed)
	}
	if err := o.Config.Validate(); err != nil {
		return nil, err
	}
	host, _, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return nil, fmt.Errorf("address %q: %w", o.Listen, err)
	}
	listener, err := net.Listen("tcp", o.Listen)
	if err != nil {
		return nil, err
	}
	s := &Server{listener: listener, hosts: hostsOf(host, listener.Addr()),
		protobuf: protobuf.NewCodec(), inflight: make(chan struct{}, maxInflight), backlogs: newBacklogs()}
	if s.credentials, err = newCredentials(s.hosts); err != nil {
		listener.Close()
		return nil, err
	}
	s.closing, s.close = context.WithCancel(context.Background())
	if o.Cluster == nil {
		if o.Record == nil { // what is kept runs elsewhere, too, where nobody can look into certificates
			o.Config.Certificates = certificates{}
			o.Config.X509 = signer{s.credentials}
			if s.tokens, err = newTokenKey(); err != nil {
				listener.Close()
				return nil, err
			}
			o.Config.Tokens = s.tokens
		}
		o.Cluster = cluster.New(o.Config, o.Seed)
	}
	o.Cluster.RememberOwners()
	s.loop = newLoop(o.Cluster, o)
	s.endpoints = &endpoints.Server{Cluster: o.Cluster, Address: strings.TrimPrefix(s.URL(), "https://"),
		Submit: s.loop.submit, ToYAML: yaml.JSONToYAML, Protobuf: protobuf.MediaType}
	go s.loop.run(s.closing)
	s.http = &http.Server{
		Handler: s.filters(), ErrorLog: o.Log,
		ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 90 * time.Second, MaxHeaderBytes: 64 << 10,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{s.credentials.certificate}, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}},
	}
	go s.http.ServeTLS(netutil.LimitListener(listener, maxConnections), "", "")
	return s, nil
}

// hostsOf are the names and addresses by which clients may know a server that listens on an address: the machine's own are among them if
// others on the network can reach it.
func hostsOf(host string, listens net.Addr) []string {
	hosts := []string{"localhost", "127.0.0.1", "::1", "kubernetes", "kubernetes.default", "kubernetes.default.svc"}
	add := func(host string) {
		if host != "" && !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	add(host)
	at, err := netip.ParseAddrPort(listens.String())
	if err != nil {
		return hosts
	}
	add(at.Addr().WithZone("").String())
	if at.Addr().IsLoopback() {
		return hosts
	}
	if name, err := os.Hostname(); err == nil {
		add(name)
	}
	if addresses, err := net.InterfaceAddrs(); err == nil && at.Addr().IsUnspecified() {
		for _, a := range addresses {
			if prefix, err := netip.ParsePrefix(a.String()); err == nil {
				add(prefix.Addr().String())
			}
		}
	}
	return hosts
}

// URL is where clients find the server.
func (s *Server) URL() string {
	host, port, _ := net.SplitHostPort(s.listener.Addr().String())
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "https://" + net.JoinHostPort(host, port)
}

// Kubeconfig is the file with which kubectl reaches the server. It holds a token.
func (s *Server) Kubeconfig() []byte { return s.credentials.kubeconfig(s.URL()) }

// Ready waits until the API server answers and all nodes are ready, or ctx is done.
func (s *Server) Ready(ctx context.Context) error {
	for {
		ready := false
		if err := s.loop.do(func(c *cluster.Cluster) { ready = c.Ready() }); err != nil {
			return err
		}
		if ready {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Elapsed is the cluster's time since its epoch.
func (s *Server) Elapsed() (now time.Duration, err error) {
	err = s.loop.do(func(c *cluster.Cluster) { now = c.Elapsed() })
	return now, err
}

// Close ends all watches and the cluster, lets the requests that are under way finish for two seconds, and stops listening.
func (s *Server) Close() error {
	s.close()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.http.Close()
	}
	<-s.loop.stopped
	return err
}

// filters are what every request passes first. Upstream: apiserver/pkg/server/config.go, DefaultBuildHandlerChain.
func (s *Server) filters() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-cache, private")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		switch {
		case s.misdirected(r):
			http.Error(w, "misdirected request: this server is not "+r.Host, http.StatusMisdirectedRequest)
			return
		case !s.authenticated(r) && !s.account(r) && !slices.Contains(public, r.URL.Path):
			w.Header().Set("WWW-Authenticate", `Bearer realm="kubernetes"`)
			writeError(w, apierrors.NewUnauthorized("Unauthorized"))
			return
		}
		s.route(w, r)
	})
}

// public are the paths for which nobody needs a token: the ClusterRole system:public-info-viewer.
var public = []string{"/healthz", "/livez", "/readyz", "/version"}

// misdirected tells whether a request was meant for another server: a page of the web that has its name lead here.
func (s *Server) misdirected(r *http.Request) bool {
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	if slices.Contains(s.hosts, host) {
		return false
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr) // listening everywhere: the address it came to
	if !ok {
		return true
	}
	address, _, err := net.SplitHostPort(local.String())
	return err != nil || address != host
}

func (s *Server) authenticated(r *http.Request) bool {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return ok && subtle.ConstantTimeCompare([]byte(token), []byte(s.credentials.token)) == 1
}

// write writes a response.
func write(w http.ResponseWriter, response endpoints.Response) {
	warnings := w.Header()["Warning"] // of the body, as it was read
	maps.Copy(w.Header(), http.Header(response.Header))
	if len(warnings) > 0 {
		w.Header()["Warning"] = append(warnings, response.Header["Warning"]...)
	}
	w.WriteHeader(response.Code)
	w.Write(response.Body)
}

// writeError answers with what an error says.
func writeError(w http.ResponseWriter, err error) {
	if errors.Is(err, errStopped) {
		err = apierrors.NewServiceUnavailable(err.Error())
	}
	write(w, endpoints.Failure(err))
}
