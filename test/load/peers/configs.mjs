// The settings of the servers that the resolver is measured beside, as one would tune them for one core.

/** What stands behind every proxy: 1 KiB and a large file. */
export function nginxUpstream({ port, folder }) {
  return `
${nginxMain(folder, 'upstream')}
http {
  ${nginxHttp}
  sendfile on;
  server {
    listen 127.0.0.1:${port} backlog=8192 reuseport;
    root ${folder}/files;
    location = /1k { default_type text/plain; return 200 "${'x'.repeat(1_024)}"; }
  }
}
`;
}

export function nginxProxy({ port, upstreamPort, uploadPort, folder }) {
  return `
${nginxMain(folder, 'proxy')}
http {
  ${nginxHttp}
  upstream pods { server 127.0.0.1:${upstreamPort}; keepalive 512; keepalive_requests 1000000; }
  upstream uploads { server 127.0.0.1:${uploadPort}; keepalive 512; keepalive_requests 1000000; }
  server {
    listen 127.0.0.1:${port} backlog=8192 reuseport;
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_set_header Host $host;
    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    proxy_set_header X-Forwarded-Proto $scheme;
    proxy_buffer_size 16k;
    proxy_buffers 16 64k;
    proxy_busy_buffers_size 256k;
    proxy_max_temp_file_size 0;
    proxy_request_buffering off;
    client_max_body_size 0;
    location / { proxy_pass http://pods; }
    location = /upload { proxy_pass http://uploads; }
  }
}
`;
}

// The bench's folder is its user's alone, and a master that is root would give its worker to another.
function nginxMain(folder, name) {
  return `
daemon off;
${process.getuid() === 0 ? 'user root;' : ''}
worker_processes 1;
worker_rlimit_nofile 20000;
pid ${folder}/nginx-${name}.pid;
error_log ${folder}/nginx-${name}.log error;
events { worker_connections 19000; multi_accept on; }
`;
}

const nginxHttp = `access_log off;
  tcp_nodelay on;
  keepalive_timeout 300s;
  keepalive_requests 100000000;
  client_body_temp_path /tmp;
  types { }
  default_type application/octet-stream;`;

export function haproxy({ tcp, ws }) {
  return `
global
  nbthread 1
  maxconn 9000
defaults
  timeout connect 5s
  timeout client 300s
  timeout server 300s
  timeout tunnel 300s
listen tcp
  mode tcp
  bind 127.0.0.1:${tcp.port}
  server pod 127.0.0.1:${tcp.upstreamPort}
listen ws
  mode http
  option forwardfor
  bind 127.0.0.1:${ws.port}
  server pod 127.0.0.1:${ws.upstreamPort}
`;
}
