//go:build !js

package cri

import (
	"slices"
	"strconv"
	"strings"
)

// sampleAPIServer is upstream's example of an extension API server: see sampleAPI.
//
//	--secure-port=443            listens there
//	--tls-cert-file=PATH         has its certificate there; without it, it makes one at its start
//	--etcd-servers=URL           has its objects in that etcd, which must be in the same Pod
var sampleAPIServer = Behaviour{
	Images: []string{"sample-apiserver"}, SizeBytes: 32000000, Entrypoint: []string{"/sample-apiserver"}, Memory: 30 << 20, shellless: true,
	Read: func(argv []string) (Program, bool) {
		options := flags(argv[1:])
		port, err := portOf(options["secure-port"], 443)
		if err != nil {
			return Program{ExitCode: 1, Says: []string{"invalid argument " + strconv.Quote(options["secure-port"]) + ` for "--secure-port" flag`}}, true
		}
		if options["etcd-servers"] == "" {
			return Program{ExitCode: 1, Says: []string{"Error: --etcd-servers must be specified"}}, true
		}
		at := parseURL(options["etcd-servers"])
		return Program{Forever: true, Serves: true, Ports: []int32{port}, CPU: 2 * milli, Certificate: certificateOf(options),
			Endpoints: &sampleAPI{etcdHost: at.host, etcdPort: at.port}}, true
	},
}

func init() {
	rareImages = append(rareImages, &sampleAPIServer)
	besideProgram = ownEtcd
}

// portOf reads a port.
func portOf(text string, otherwise int32) (int32, error) {
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseUint(text, 10, 16)
	return int32(n), err
}

// etcdServer is etcd beside a program that stores something of its own, without TLS. Its data is in its memory, and gone with it.
//
// Simplified: its protocol, gRPC, is not spoken: a program in the same Pod works with the data itself. It is alone, and remembers no earlier
// revisions. Upstream: go.etcd.io/etcd.
type etcdServer struct {
	revision int64
	keys     []etcdKey // in order
}

// etcdKey is a key with its value. revision is that of its last change. Upstream: mvccpb.KeyValue.
type etcdKey struct {
	key, value string
	revision   int64
}

// ownEtcd is what etcd does with a command line unless it is a control plane's, which speaks TLS.
func ownEtcd(argv []string) (Program, bool) {
	urls, port := flags(argv[1:])["listen-client-urls"], int32(2379)
	if strings.HasPrefix(urls, "https:") {
		return Program{}, false
	}
	if urls != "" {
		first, _, _ := strings.Cut(urls, ",")
		port = parseURL(first).port
	}
	return Program{Forever: true, Serves: true, Ports: []int32{port}, CPU: 5 * milli, Endpoints: &etcdServer{revision: 1}}, true
}

func (*etcdServer) hears(string, int32) bool { return false }

// serve answers what etcd says over HTTP. Upstream: server/etcdserver/api/etcdhttp, health.go and version.go.
func (*etcdServer) serve(_ *Inside, request Request, done func(Response)) {
	switch path, _, _ := strings.Cut(parseURL(request.URL).path, "?"); path {
	case "/health":
		done(Response{Status: 200, Body: `{"health":"true","reason":""}`})
	case "/grpc.health.v1.Health/Check": // as probes ask, of which 200 is SERVING
		done(Response{Status: 200})
	case "/version":
		done(Response{Status: 200, Body: `{"etcdserver":"3.6.8","etcdcluster":"3.6.0","storage":"3.6.0"}`})
	default:
		done(Response{Status: 404, Body: "404 page not found\n"})
	}
}

func (e *etcdServer) find(key string) (int, bool) {
	return slices.BinarySearchFunc(e.keys, key, func(k etcdKey, key string) int { return strings.Compare(k.key, key) })
}

// under are all keys that begin with a prefix.
func (e *etcdServer) under(prefix string) []etcdKey {
	from, _ := e.find(prefix)
	to := from
	for to < len(e.keys) && strings.HasPrefix(e.keys[to].key, prefix) {
		to++
	}
	return slices.Clone(e.keys[from:to])
}

// put stores a value, and returns the revision.
func (e *etcdServer) put(key, value string) int64 {
	e.revision++
	k := etcdKey{key, value, e.revision}
	if i, found := e.find(key); found {
		e.keys[i] = k
	} else {
		e.keys = slices.Insert(e.keys, i, k)
	}
	return e.revision
}

func (e *etcdServer) remove(key string) {
	if i, found := e.find(key); found {
		e.revision++
		e.keys = slices.Delete(e.keys, i, i+1)
	}
}
