package cri

import "strconv"

// metricsServer runs package node/metrics, where its cluster has a network. Upstream: sigs.k8s.io/metrics-server, Dockerfile.
//
//	--secure-port=10250          listens there
//	--metric-resolution=15s      see package node/metrics, which reads its own flags
var metricsServer = Behaviour{
	Images: []string{"registry.k8s.io/metrics-server/metrics-server"}, SizeBytes: 23068672, Entrypoint: []string{"/metrics-server"}, Memory: 20 << 20,
	shellless: true,
	Read: func(argv []string) (Program, bool) {
		if base(argv[0]) != "metrics-server" {
			return Program{}, false
		}
		options := flags(argv[1:])
		port, err := strconv.ParseUint(options["secure-port"], 10, 16)
		if err != nil {
			port = 443
		}
		return Program{Forever: true, Serves: true, Ports: []int32{int32(port)}, CPU: 3 * milli, Guest: "metrics-server",
			Certificate: certificateOf(options)}, true
	},
}
