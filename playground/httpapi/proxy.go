package httpapi

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/discoveryv1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/controlplane/client"
)

var (
	pods           = api.GroupVersionResource{Version: "v1", Resource: "pods"}
	services       = api.GroupVersionResource{Version: "v1", Resource: "services"}
	endpointSlices = api.GroupVersionResource{Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices"}
)

// proxy sends a request on from the API server, and writes what comes back. Only method, path and body get there.
// Upstream: pkg/registry/core/pod/rest/subresources.go and service/proxy.go, ProxyREST; apimachinery/pkg/util/proxy/upgradeaware.go.
func (s *Server) proxy(w http.ResponseWriter, r *http.Request, request *client.Request) {
	_, path, _ := strings.Cut(r.URL.Path, "/"+request.Name+"/proxy")
	path = strings.TrimPrefix(path, "/")
	if path == "" && !strings.HasSuffix(r.URL.Path, "/") && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		location := r.URL.Path + "/" // relative links in the answer are to be below it
		if r.URL.RawQuery != "" {
			location += "?" + r.URL.RawQuery
		}
		w.Header().Set("Location", location)
		w.WriteHeader(http.StatusMovedPermanently)
		return
	}
	if err := s.admitted(r, request, r.Method); err != nil {
		writeError(w, err)
		return
	}
	if request.Resource.Resource == "nodes" {
		s.proxyToNode(w, r, request, "/"+path)
		return
	}
	address, err := s.proxyAddress(r, request)
	if err != nil {
		writeError(w, err)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		writeError(w, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("limit is %d", maxBody)))
		return
	}
	scheme := "http"
	if strings.HasPrefix(request.Name, "https:") {
		scheme = "https"
	}
	in := cluster.Input{Kind: cluster.Ask, URL: scheme + "://" + address + "/" + path, From: cluster.APIServer, Body: string(body)}
	if r.URL.RawQuery != "" {
		in.URL += "?" + r.URL.RawQuery
	}
	if r.Method != http.MethodGet {
		in.Method = r.Method
	}
	a, err := await(r.Context(), s.loop, func(_ *cluster.Cluster, done func(cluster.Answer)) { s.loop.give(in, done) })
	if err == nil {
		err = a.Err
	}
	if err != nil {
		writeError(w, apierrors.NewServiceUnavailable("error trying to reach service: "+strings.TrimPrefix(err.Error(), in.URL+": ")))
		return
	}
	text := a.Result.(*client.Text).Body
	kind := http.DetectContentType([]byte(text)) // as Go's own server says that writes it
	if strings.HasPrefix(kind, "text/html") {
		prefix, _ := strings.CutSuffix(strings.TrimSuffix(r.URL.Path, path), "/")
		text = rewriteHTML(text, prefix, address, r.Host)
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(int(a.Code))
	if r.Method != http.MethodHead {
		io.WriteString(w, text)
	}
}

// proxyAddress is where the request goes: "10.244.1.5:8080". The name in its path may have a scheme and a port: "http:web:8080".
func (s *Server) proxyAddress(r *http.Request, request *client.Request) (string, error) {
	name, port, err := nameAndPort(request)
	if err != nil {
		return "", err
	}
	if request.Resource.Resource == "pods" {
		return s.podAddress(r, request.Namespace, name, port)
	}
	return s.serviceAddress(r, request.Namespace, name, port)
}

// nameAndPort are what the name in a path consists of. Upstream: apimachinery/pkg/util/net/port_split.go, SplitSchemeNamePort.
func nameAndPort(request *client.Request) (name, port string, err error) {
	switch parts := strings.Split(request.Name, ":"); len(parts) {
	case 1:
		return request.Name, "", nil
	case 2:
		return parts[0], parts[1], nil
	case 3:
		return parts[1], parts[2], nil
	}
	return "", "", apierrors.NewBadRequest(fmt.Sprintf("invalid %s request %q", strings.TrimSuffix(request.Resource.Resource, "s"), request.Name))
}

// podAddress is upstream's pkg/registry/core/pod/strategy.go, ResourceLocation.
func (s *Server) podAddress(r *http.Request, namespace, name, port string) (string, error) {
	found, err := s.loop.ask(r.Context(), &client.Request{Verb: client.Get, Resource: pods, Namespace: namespace, Name: name})
	if err != nil {
		return "", err
	}
	pod := found.(*corev1.Pod)
	if port == "" {
		port = "80"
		for i := range pod.Spec.Containers {
			if ports := pod.Spec.Containers[i].Ports; len(ports) > 0 {
				port = strconv.Itoa(int(ports[0].ContainerPort))
				break
			}
		}
	}
	if pod.Status.PodIP == "" {
		return "", apierrors.NewServiceUnavailable("address not allowed")
	}
	return pod.Status.PodIP + ":" + port, nil
}

// serviceAddress is upstream's pkg/registry/core/service/storage/storage.go, ResourceLocation; of several endpoints it takes the first.
func (s *Server) serviceAddress(r *http.Request, namespace, name, port string) (string, error) {
	found, err := s.loop.ask(r.Context(), &client.Request{Verb: client.Get, Resource: services, Namespace: namespace, Name: name})
	if err != nil {
		return "", err
	}
	svc := found.(*corev1.Service)
	i := slices.IndexFunc(svc.Spec.Ports, func(p corev1.ServicePort) bool {
		return p.Name == port || strconv.Itoa(int(p.Port)) == port || port == "" && len(svc.Spec.Ports) == 1
	})
	if i < 0 {
		return "", apierrors.NewServiceUnavailable(fmt.Sprintf("no service port %q found for service %q", port, name))
	}
	list, err := s.loop.ask(r.Context(), &client.Request{Verb: client.List, Resource: endpointSlices, Namespace: namespace,
		List: metav1.ListOptions{LabelSelector: discoveryv1.LabelServiceName + "=" + name}})
	if err != nil {
		return "", err
	}
	for _, slice := range list.(*discoveryv1.EndpointSliceList).Items {
		for _, p := range slice.Ports {
			if p.Port == nil || p.Name != nil && *p.Name != svc.Spec.Ports[i].Name {
				continue
			}
			for _, e := range slice.Endpoints {
				if (e.Conditions.Ready == nil || *e.Conditions.Ready) && len(e.Addresses) > 0 {
					return e.Addresses[0] + ":" + strconv.Itoa(int(*p.Port)), nil
				}
			}
		}
	}
	return "", apierrors.NewServiceUnavailable(fmt.Sprintf("no endpoints available for service %q", name))
}
