package cri

// Web servers: each answers HTTP with 200 and the Pod's host name, or with the
// files of its document root when a volume is mounted there.

var nginx = Behaviour{
	Images: []string{"docker.io/library/nginx", "docker.io/nginxinc/nginx-unprivileged"}, SizeBytes: 72189351,
	Entrypoint: []string{"/docker-entrypoint.sh"}, Cmd: []string{"nginx", "-g", "daemon off;"},
	Commands: []string{"nginx-debug"}, Memory: 9 << 20, LogsRequests: true, Root: "/usr/share/nginx/html",
	Says: []string{"/docker-entrypoint.sh: Configuration complete; ready for start up"},
}

var httpd = Behaviour{
	Images: []string{"docker.io/library/httpd"}, SizeBytes: 58720256, Cmd: []string{"httpd-foreground"},
	Commands: []string{"httpd", "apachectl"}, Memory: 14 << 20, LogsRequests: true, Root: "/usr/local/apache2/htdocs",
	Says: []string{"AH00094: Command line: 'httpd -D FOREGROUND'"},
}

var whoami = Behaviour{
	Images: []string{"docker.io/traefik/whoami"}, SizeBytes: 2936012, Entrypoint: []string{"/whoami"}, Memory: 3 << 20, shellless: true,
	Says: []string{"Starting up on port 80"},
}

var hello = Behaviour{
	Images: []string{"hello-app"}, SizeBytes: 6291456, Entrypoint: []string{"/hello-app"}, Memory: 6 << 20, shellless: true, Ports: []int32{8080},
	Says: []string{"Server listening on port 8080"},
}
