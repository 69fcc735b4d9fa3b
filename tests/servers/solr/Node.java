import java.util.Properties;
import org.apache.solr.embedded.JettyConfig;
import org.apache.solr.embedded.JettySolrRunner;

/** Solr as one process on 127.0.0.1: the first argument is its home, the second its port. */
public class Node {
  public static void main(String[] given) throws Exception {
    var config = JettyConfig.builder().setPort(Integer.parseInt(given[1])).setContext("/solr").build();
    new JettySolrRunner(given[0], new Properties(), config).start();
    Thread.currentThread().join();
  }
}
