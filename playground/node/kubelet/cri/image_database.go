package cri

// Databases: they listen on their port and use some memory; what they store
// isn't simulated.

var redis = Behaviour{
	Images: []string{"docker.io/library/redis", "docker.io/valkey/valkey"}, SizeBytes: 45006722,
	Entrypoint: []string{"docker-entrypoint.sh"}, Cmd: []string{"redis-server"}, Memory: 12 << 20,
	Commands: []string{"redis-cli", "redis-sentinel", "valkey-server", "valkey-cli"}, Ports: []int32{6379},
	Says: []string{"* Ready to accept connections tcp"},
}

var postgres = Behaviour{
	Images: []string{"docker.io/library/postgres", "docker.io/library/mysql", "docker.io/library/mariadb"}, SizeBytes: 155189248,
	Entrypoint: []string{"docker-entrypoint.sh"}, Cmd: []string{"postgres"}, Memory: 48 << 20,
	Commands: []string{"psql", "pg_isready", "mysqld", "mysql", "mysqladmin", "mariadbd", "mariadb", "mariadb-admin"}, Ports: []int32{5432, 3306},
	Says: []string{"LOG:  database system is ready to accept connections"},
}
