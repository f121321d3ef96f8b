// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.StandardContext;

/**
 * Tomcat: each operation is a request to a server in the same process, on a port of the loopback device, as DaCapo's. The
 * servlet keeps a cart for each client and answers with its page.
 */
public final class Tomcat {
    /** Adds an item to the client's cart and shows it. */
    public static final class Shop extends HttpServlet {
        private static final long serialVersionUID = 1;
        private final transient Map<String, Map<Integer, Integer>> carts = new ConcurrentHashMap<>();

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            Map<Integer, Integer> cart = carts.computeIfAbsent(request.getParameter("client"), c -> new TreeMap<>());
            response.setContentType("text/html");
            response.setCharacterEncoding("UTF-8");
            PrintWriter page = response.getWriter();
            page.print("<html><body><table>");
            synchronized (cart) {
                cart.merge(Integer.parseInt(request.getParameter("item")) % 100, 1, Integer::sum);
                for (Map.Entry<Integer, Integer> item : cart.entrySet()) {
                    page.printf("<tr><td>part %d</td><td>%d</td></tr>", item.getKey(), item.getValue());
                }
            }
            page.print("</table></body></html>");
        }
    }

    private static long get(URL url) throws IOException {
        HttpURLConnection c = (HttpURLConnection) url.openConnection();
        try (InputStream in = c.getInputStream()) {
            return in.readAllBytes().length;
        }
    }

    @SuppressWarnings("deprecation") // in Tomcat, not by another call
    public static void main(String[] args) throws Exception {
        Path base = Files.createTempDirectory("ebb-tomcat");
        var server = new org.apache.catalina.startup.Tomcat();
        server.setBaseDir(base.toString());
        server.setSilent(true);
        Connector connector = new Connector();
        connector.setPort(0);
        connector.setProperty("address", InetAddress.getLoopbackAddress().getHostAddress());
        server.setConnector(connector);
        // Not by Tomcat.addContext: that looks for annotations, whose classes Debian has in another package.
        StandardContext context = new StandardContext();
        context.setPath("");
        context.setDocBase(base.toString());
        context.setIgnoreAnnotations(true);
        context.addLifecycleListener(event -> context.setConfigured(true));
        server.getHost().addChild(context);
        org.apache.catalina.startup.Tomcat.addServlet(context, "shop", new Shop());
        context.addServletMappingDecoded("/shop", "shop", false);
        server.start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                Files.deleteIfExists(base.resolve("work/Tomcat/localhost/ROOT"));
                for (String d : new String[] {"work/Tomcat/localhost", "work/Tomcat", "work", ""}) {
                    Files.deleteIfExists(base.resolve(d));
                }
            } catch (IOException e) {
                System.err.println("not removed: " + e);
            }
        }));
        String shop = "http://127.0.0.1:" + connector.getLocalPort() + "/shop?client=";
        Load.run(args, thread -> i -> get(URI.create(shop + thread + "&item=" + i).toURL()));
    }
}
